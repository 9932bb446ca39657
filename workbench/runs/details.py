"""Everything that is recorded of a run's end, as plain lines: what ``result_lines`` sums up."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from workbench.patterns import visible
from workbench.records import EgressRecord, RunPlan, RunResult, SandboxReport, Usage
from workbench.runs.summary import lint_lines

_MIB = 1024**2


def detail_lines(plan: RunPlan, result: RunResult | None, refused: Iterable[EgressRecord]) -> Iterator[str]:
    """The lint's statements, egress, usage, sandbox, times, limits. ``refused``: requests not let through."""
    if result is not None:
        if result.lint is not None:
            yield "lint     statements"
            yield from lint_lines(result.lint)
        yield from _egress(result, refused)
        yield from _usage(result)
        if result.sandbox is not None:
            yield from _sandbox(result.sandbox)
        yield f"times    {(result.finished - result.started).total_seconds():.1f} s"
        yield from _pairs({stage: f"{seconds:.1f} s" for stage, seconds in result.stage_s.items()})
    limits = plan.limits
    yield (
        f"limits   {limits.wall_s:.0f} s, {limits.memory_bytes // _MIB} MiB memory, "
        f"{limits.processes} processes, {limits.work_bytes // _MIB} MiB disk"
    )
    if plan.agent.file:
        yield f"file     {visible(plan.agent.file)}"


def _egress(result: RunResult, refused: Iterable[EgressRecord]) -> Iterator[str]:
    egress = result.egress
    if egress is None:
        yield "egress   no gateway: nothing could leave the sandbox"
        return
    yield (
        f"egress   {egress.requests} requests, {egress.refused} refused, {egress.bytes_out:,} bytes out, "
        f"{egress.bytes_in:,} in"
    )
    yield f"         the log's chain is {'whole' if egress.chain_valid else 'broken'}"
    for record in refused:
        yield f"         refused: {visible(record.method)} {visible(record.path)}: {visible(record.reason)}"


def _usage(result: RunResult) -> Iterator[str]:
    if result.egress is not None and result.egress.requests:
        yield f"tokens   counted by the gateway: {_tokens(result.egress.usage)}"
    if result.trajectory is not None and result.trajectory.usage is not None:
        yield f"tokens   by the agent's log: {_tokens(result.trajectory.usage)}"


def _tokens(usage: Usage) -> str:
    return (
        f"{usage.input_tokens:,} in ({usage.cached_input_tokens:,} cached), {usage.output_tokens:,} out "
        f"({usage.reasoning_output_tokens:,} reasoning)"
    )


def _sandbox(report: SandboxReport) -> Iterator[str]:
    ended = report.ended_by or (f"signal {report.signal}" if report.signal else f"exit {report.exit_code}")
    peak = "" if report.peak_memory_bytes is None else f", {report.peak_memory_bytes // _MIB} MiB at most"
    yield (
        f"sandbox  {visible(report.backend)}, {'degraded' if report.degraded else 'full isolation'}, "
        f"ended by {visible(ended)}, {report.wall_s:.1f} s{peak}"
    )
    for reason in report.reasons:
        yield f"         {visible(reason)}"
    yield from _pairs(report.enforced)
    for name in report.refused_results:
        yield f"         result refused: {visible(name)}"


def _pairs(pairs: Mapping[str, str]) -> Iterator[str]:
    width = max((len(name) for name in pairs), default=0)
    for name, value in pairs.items():
        yield f"         {visible(f'{name:<{width}}')}  {visible(value)}"
