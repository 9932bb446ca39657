"""Ways to reach a place outside or the network, a few of each mechanism."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from workbench.contamination import HiddenMaterial, Lint, RunView
from workbench.contamination.rules.network import NESTED_STARTED
from workbench.records import Step, StepSource, ToolCall, ToolKind, Violation

Run = Callable[..., list[Violation]]
PLACE = "/srv/bench/references/x.csv"
ROWS = "subject_id,ab_id,suspected_infection\n10002428,1,1\n10002428,2,0\n"
READS = [
    f"echo {PLACE} > list; xargs -a list cat",
    f"printf '{PLACE}\\n' > l; tar --files-from=l -cO",
    f"alias c=cat; c {PLACE}",
    f"sg agent -c 'cat {PLACE}'",
    f"curl -s file://{PLACE}",
    "python3 -c \"import os; os.environ['R']='/srv/bench/references/x.csv'; "
    "print(open(os.environ['R']).read())\"",
    "python3 -c \"from pathlib import Path; "
    "print((Path.cwd().parent / 'srv/bench/references/x.csv').read_text())\"",
    "python3 -c \"from pathlib import Path; Path('b').symlink_to('/srv/bench'); "
    "print(open('b/references/x.csv').read())\"",
]  # fmt: skip
REACHES = [
    "busybox wget http://x.org/a", "socat - TCP:x.org:80", "getent hosts x.org",
    "openssl s_client -connect x.org:443",
    "npx thing",
    "git ls-remote https://x.org/r", "cat < /dev/tcp/x.org/80", "cp /usr/bin/curl c; ./c https://x.org/a",
    "python3 -c 'import socket; socket.socket().connect_ex((\"x.org\", 80))'",
    "python3 -c 'import smtplib; smtplib.SMTP(\"x.org\")'",
    "python3 -c '__import__(\"requests\").get(\"https://x.org\")'", "duckdb -c 'LOAD httpfs'",
    "duckdb md:mimic",
]  # fmt: skip
HARMLESS = [
    "echo 'see https://x.org for the rule'",
    "python3 -c 'import socket; print(socket.gethostname())'",
    "curl -s http://127.0.0.1:8080/v1/models", "git clone ./a b", "pip --version", "ls -la /workspace/.git",
    "python3 -c 'd = {}; print(d.get(\"https://x.y\"))'", "awk '/a/,/b/' notes.csv",
    "cat /workspace/.venv/pyvenv.cfg",
]  # fmt: skip


def _levels(found: list[Violation], rule: str) -> set[str]:
    return {item.level.value for item in found if item.rule == rule}


@pytest.mark.parametrize("command", READS)
def test_a_place_outside_is_told_however_it_is_read(run_command: Run, command: str) -> None:
    assert _levels(run_command(command, "", 1), "outside-paths")
    assert {"fail", "quarantine"} & _levels(run_command(command, ROWS), "outside-paths")


@pytest.mark.parametrize("command", REACHES)
def test_every_way_to_the_network_warns(run_command: Run, command: str) -> None:
    assert "warn" in _levels(run_command(command, "", 1), "network")


@pytest.mark.parametrize("command", HARMLESS)
def test_what_stays_inside_is_let_be(run_command: Run, command: str) -> None:
    found = run_command(command, "a\n")
    assert _levels(found, "network") | _levels(found, "outside-paths") == set()


@pytest.mark.parametrize(
    "text",
    ["curl: (6) Could not resolve host: x.org", "socket.gaierror: Temporary failure in name resolution"],
)
def test_what_a_resolver_says_tells_of_a_try(run_command: Run, text: str) -> None:
    assert _levels(run_command("./fetch_it", text, 6), "network") == {"warn"}


@pytest.mark.parametrize(("name", "level"), [(".workbench", "quarantine"), ("notes", "")])
def test_names_in_a_listing(run_command: Run, name: str, level: str) -> None:
    found = _levels(run_command("ls -A /", f"bin\n{name}\nworkspace\n"), "outside-paths")
    assert found == ({level} if level else set())


@pytest.mark.parametrize("known", [True, False])
def test_a_nested_agent_s_work_is_missed_only_where_no_log_holds_it(
    known: bool, hidden: HiddenMaterial
) -> None:
    call = ToolCall(call_id="a", name="spawn_agent", kind=ToolKind.AGENT, arguments={"prompt": "count rows"})
    step = Step(number=1, source=StepSource.AGENT, calls=[call])
    inner = [Step(number=1, source=StepSource.AGENT, message="Counted.", agent="nested", parent_call_id="a")]
    view = RunView(
        steps=[step], collected=None, output=None, egress=[], egress_valid=True, hidden=hidden,
        nested=inner if known else [],
    )  # fmt: skip
    said = {item.message for item in Lint(view.hidden).check_run(view).violations if item.rule == "network"}
    assert said - {NESTED_STARTED} == (
        set() if known else {"a nested agent was started, and no log of it is at hand"}
    )
