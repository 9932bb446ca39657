"""The real Codex CLI through the gateway: both conditions, both tasks; usage agrees; the key stays out."""

import secrets
import shutil
from dataclasses import replace

import pytest

from workbench.agents import ensure_codex_runtime
from workbench.catalog import read_toml
from workbench.gateway import verify_egress
from workbench.llm import ScriptedModel, Turn
from workbench.records import Condition, DemonstrationScript, FinishedEvent, RunResult, Unavailable, Verdict
from workbench.runs import Context, RunRequest, follow_run, launch_run, plan_run

pytestmark = pytest.mark.real
TASKS = ["mimic-suspicion-infection", "mimic-suspicion-infection-raw"]


@pytest.fixture(scope="module")
def codex(ready_context: Context) -> Context:
    if shutil.which("npm") is None:
        pytest.skip("npm is not installed")
    try:
        ensure_codex_runtime(ready_context.data)
    except Unavailable as error:
        pytest.skip(f"Codex cannot be installed: {error.what}")
    return ready_context


def run_live(context: Context, task: str, condition: Condition) -> tuple[RunResult, list[str]]:
    """One run; also every path of the run's folder that holds the key."""
    path = context.content.paths.demonstration_script(task, condition, "codex")
    script = read_toml(path, DemonstrationScript)
    key = secrets.token_hex(24)
    turns = [Turn(commands=tuple(turn.commands), message=turn.message) for turn in script.turns]
    spy = Turn(commands=("env; cat /proc/*/environ /proc/*/cmdline; grep -r . /home/agent || true",))
    with ScriptedModel([spy, *turns], key=key) as model:
        live = replace(context, settings=context.settings.model_copy(update={"model_endpoint": model.url}))
        request = RunRequest(
            task=context.content.task(task),
            condition=condition,
            agent="codex",
            model="scripted",
            source=context.settings.source,
        )
        run, process = launch_run(live, plan_run(request, live, "bubblewrap"), key=key)
        events = list(follow_run(live, run, process))
        asked = len(model.asked)
    last = events[-1]
    assert isinstance(last, FinishedEvent)
    assert asked == len(turns) + 1
    leaks = [
        str(file.relative_to(run.folder))
        for file in run.folder.rglob("*")
        if file.is_file() and key.encode() in file.read_bytes()
    ]
    valid, reason = verify_egress(run.egress)
    assert valid, reason
    return last.result, leaks


@pytest.mark.parametrize("task", TASKS)
def test_both_conditions(codex: Context, task: str) -> None:
    without, leaks_without = run_live(codex, task, Condition.NO_SKILL)
    with_skill, leaks_with = run_live(codex, task, Condition.WITH_SKILL)
    assert leaks_without == leaks_with == []
    for result in (without, with_skill):
        assert result.score is not None and result.score.readable
        assert result.egress is not None and result.trajectory is not None
        assert result.trajectory.usage == result.egress.usage
        assert result.egress.refused == 0
        assert result.verdict in {Verdict.PUBLISHABLE, Verdict.QUARANTINED}
    assert without.score.reward < with_skill.score.reward == 1.0
    assert with_skill.score.strict_pass
