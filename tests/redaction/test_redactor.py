"""Redaction on the smallest logs: what goes, what takes its place, and what stays."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import date, datetime

import pytest

from workbench.records import Observation, Step, StepSource, ToolCall, ToolKind, TrajectorySummary, Usage
from workbench.redaction import Redactor

STAY, ROW, DAY = 30_001_234, 152_340, date(2180, 5, 6)
NOTE = "Pt arrived via ambulance, denies pain overnight, family at bedside and updated"


class OneStay:
    """A source with one stay, one row number of a dense column, one text key and one day."""

    def numbers(self, numbers: Collection[int]) -> Mapping[int, set[str]]:
        known = {STAY: {"stay_id"}, ROW: {"labevent_id"}, 220_045: {"labevent_id"}}
        return {number: known[number] for number in numbers if number in known}

    def keys(self, keys: Collection[str]) -> Mapping[str, set[str]]:
        return {key: {"uniquepid"} for key in keys if key == "002-12345"}

    def items(self, numbers: Collection[int]) -> set[int]:
        return {220_045} & set(numbers)

    def days(self, days: Collection[date]) -> set[date]:
        return {DAY} & set(days)

    def moments(self, moments: Collection[datetime]) -> set[datetime]:
        return {datetime(2180, 5, 6, 14, 23)} & set(moments)  # noqa: DTZ001

    def dense(self, column: str, digits: int) -> bool:
        return column == "labevent_id"


def said(text: str) -> Step:
    return Step(number=1, source=StepSource.AGENT, message=text)


def ran(command: str, output: str, number: int = 1, exit_code: int = 0) -> Step:
    call = ToolCall(call_id="c1", name="bash", kind=ToolKind.COMMAND, command=command)
    back = Observation(call_id="c1", text=output, exit_code=exit_code)
    return Step(number=number, source=StepSource.AGENT, calls=[call], observations=[back])


def redacted(*steps: Step, summary: TrajectorySummary | None = None) -> list[Step]:
    summary = summary or TrajectorySummary(format="x", steps=len(steps))
    return Redactor(OneStay(), b"salt").log(steps, summary)[0]


def words(text: str, *before: Step) -> str:
    return redacted(*before, said(text))[-1].message


@pytest.mark.parametrize(
    "text",
    [
        "30001234", "30001234.0", "30,001,234", "30_001_234", "0x1c9c852", "3.0001234e7", "00030001234",
        "3000 1234", "３００01234", "\\u0033\\u0030001234", "%33%30001234", "MzAwMDEyMzQ=",
        "3330303031323334", "/out/stay_30001234.png", "3\u200b0001234",
        "[3, 0, 0, 0, 1, 2, 3, 4]", "['3', '0', '0', '0', '1', '2', '3', '4']", "'3000' + '1234'",
    ],
)  # fmt: skip
def test_an_identifier_goes_in_every_spelling(text: str) -> None:
    made = words(f"so {text} it is")
    assert made.startswith("so ") and made.endswith(" it is")
    assert "[stay " in made and not any(sign.isdigit() for sign in made)


@pytest.mark.parametrize(
    "text",
    [
        "2180-05-06 14:23:00", "05/06/2180",
        "6.5.2180", "May 6, 2180", "6th of May 2180", "21800506",
        "datetime.date(2180, 5, 6)", "6637904580", "6637904580000",
    ],
)  # fmt: skip
def test_a_day_of_the_source_goes_in_every_order(text: str) -> None:
    made = words(f"charted {text} there")
    assert "[date " in made and "2180" not in made and "6637904580" not in made


@pytest.mark.parametrize(
    "text",
    [
        "06/05/80 14:23:00",
        "05/06/80 2:23 pm",
        "06.05.80 14:23",
        "80-05-06 14:23",
        "06/05/80",
        "6/5/80, 14:23",
    ],
)
def test_a_day_with_a_year_of_two_digits_goes_where_it_is_a_day(text: str) -> None:
    made = words(f"charted {text} there")
    assert "[date " in made and "80" not in made


@pytest.mark.parametrize("text", ["release 6.5.80", "1/2/80", "80-05-06", "06/05/80/12", "a ratio of 6/5/80"])
def test_short_numbers_between_marks_stay(text: str) -> None:
    assert words(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "WHERE itemid = 220045", "30001235 rows", "labs of 152340 tokens", "published 2016-02-23",
        "uuid 576f0423-9c95-4bd2-931e-933bcf178913", "the process runs as root", "DuckDB 2.0.1", "555-0100",
        "commit e165e7f06c654c4db0f85f6b9a0daf373251e4dd", "a lactate above 2 mmol/L", "cut -c1-200",
    ],
)  # fmt: skip
def test_what_is_of_nobody_stays(text: str) -> None:
    assert words(text) == text


def test_a_row_number_goes_where_its_column_is_named() -> None:
    assert words(f"labevent_id {ROW} is odd").startswith("labevent_id [labevent ")
    step = Step(
        number=1, source=StepSource.AGENT,
        calls=[ToolCall(call_id="1", name="look", arguments={"labevent_id": ROW, "limit": 5})],
    )  # fmt: skip
    arguments = redacted(step)[0].calls[0].arguments
    assert arguments["limit"] == 5 and str(arguments["labevent_id"]).startswith("[labevent ")


def test_a_key_of_letters_and_its_pseudonym() -> None:
    made = words("uniquepid 002-12345 and again 002-12345")
    first, second = made.split("[patient ")[1:]
    assert first[:8] == second[:8]


def test_an_output_is_described_with_the_words_of_the_call_only() -> None:
    output = f"stay_id,valuenum,patient_name\n{STAY},7.31,x\n" + "1,2,3\n" * 20 + "22 rows"
    (step,) = redacted(ran("SELECT stay_id, valuenum FROM mimiciv_icu.chartevents", output))
    (back,) = step.observations
    assert back.text.startswith(
        "[output of command; reads mimiciv_icu.chartevents; columns stay_id; 22 rows; exit 0; hash "
    )
    assert back.call_id == step.calls[0].call_id != "c1"


@pytest.mark.parametrize(
    ("output", "told"),
    [
        ("3 rows", "under 10 rows"),
        ("[120 rows x 5 columns]", "120 rows x 5 columns"),
        ("shape: (14, 3)", "14 rows x 3 columns"),
        ("", "nothing printed"),
        ("Traceback\nKeyError: 30001234", "KeyError"),
        ("Binder Error: no column", "Binder Error"),
        ("MuellerError: x", "under 10 lines"),
    ],
)
def test_sizes_and_errors_of_outputs(output: str, told: str) -> None:
    text = redacted(ran("look", output))[0].observations[0].text
    assert told in text and "Mueller" not in text and "30001234" not in text


def test_values_and_sentences_of_an_output_go_from_the_words_about_it() -> None:
    shown = ran("duckdb x.db < look.sql", f'valuenum: 7.312, note: "{NOTE}"')
    made = words(f'The row has 7.312; the note reads "{NOTE}". A pH of 7.25 is low.', shown)
    assert made == 'The row has [value]; the note reads "[quoted text]". A pH of 7.25 is low.'


def test_what_the_agent_said_first_stays_its_own() -> None:
    own = said("WHERE gfr < 0.741 -- the culture has to come first and then the drug")
    shown = ran("cat out.log", "gfr 0.741 and the culture has to come first and then the drug")
    assert words("I keep 0.741: the culture has to come first and then the drug", own, shown) == (
        "I keep 0.741: the culture has to come first and then the drug"
    )


def test_a_given_document_is_no_print_of_data_and_a_made_one_is() -> None:
    given = ran("sed -n '1,80p' SKILL.md", "A rate above 0.333 counts.")
    assert words("So 0.333 counts.", given) == "So 0.333 counts."
    made = ran("duckdb -c 'FROM t' > rows.md", "")
    shown = ran("cat rows.md", "A rate of 0.333 in that row.", 2)
    assert words("So 0.333 counts.", made, shown) == "So [value] counts."


def test_small_counts_of_patients_are_masked() -> None:
    assert words("only 3 patients and 40 stays, at least 2 admissions") == (
        "only [under 10] patients and 40 stays, at least 2 admissions"
    )


def test_persons_are_known_everywhere_once_they_are_told() -> None:
    listing = ran("ls -l", "-rw-r----- 1 mvacek7 mvacek7 10626 Mar  2 11:04 mimic.duckdb")
    made = words("mvacek7 owns it; root does not; see /home/jlindh/icu and mail ada@uni-clinic.org", listing)
    assert "mvacek7" not in made and "jlindh" not in made and "uni-clinic" not in made
    assert "root does not" in made and "/home/[person " in made and "[address " in made


@pytest.mark.parametrize(
    "text",
    ["PGPASSWORD=q7RtYu1oPasD psql", "Authorization: Basic dXNlcjpwYXNzMTIzNA", "sk-proj-a1" + "b2C3" * 9],
)
def test_secrets_go(text: str) -> None:
    made = words(text)
    assert "[secret " in made and "q7RtYu1" not in made and "dXNlcjpw" not in made and "b2C3" not in made


def test_ids_are_renamed_and_only_a_time_is_left_as_one() -> None:
    step = said("x").model_copy(
        update={"session": str(STAY), "agent": "a30001234", "message_id": "m", "timestamp": f"{STAY}"}
    )
    (made,) = redacted(step)
    assert made.timestamp == "" and made.session.startswith("session-") and made.agent.startswith("agent-")
    at = said("x").model_copy(update={"timestamp": "2026-03-02T11:04:05.114Z"})
    assert redacted(at)[0].timestamp == "2026-03-02T11:04:05.114Z"


def test_a_summary_is_cleaned_too() -> None:
    summary = TrajectorySummary(
        format="x", steps=1, final_message=f"stay_id {STAY}", agent="codex 0.46.0", session="s",
        usage=Usage(input_tokens=STAY), errors=[f"ValueError: {STAY}"], unknown_events={f"e{STAY}": 2},
    )  # fmt: skip
    made = Redactor(OneStay(), b"salt").log([said("x")], summary)[1]
    assert made.final_message.startswith("stay_id [stay ") and made.agent == "codex 0.46.0"
    assert made.errors[0].startswith("[error; ValueError; hash ") and made.usage == summary.usage
    assert str(STAY) not in str(made.unknown_events)


def test_of_a_log_without_structure_a_description_is_left() -> None:
    plain = TrajectorySummary(format="plain", steps=1, final_message="$ ls\nall of it")
    steps, summary = Redactor(OneStay(), b"salt").log([said("$ ls\nall of it")], plain)
    assert steps[0].message == summary.final_message == ""
    assert steps[0].observations[0].text.startswith("[output of tool; under 10 lines; hash ")


def test_a_log_that_tells_no_output_loses_all_that_could_be_a_value() -> None:
    assert words("The row has 7.31 and the code A41.91; the threshold is 2.") == (
        "The row has [value] and the code A41.91; the threshold is 2."
    )


def test_sentences_of_any_script_are_quotations() -> None:
    shown = ran("duckdb x.db < look.sql", "note\nПациент доставлен скорой помощью ночью без жалоб на боль")
    made = words("Там написано: пациент доставлен скорой помощью ночью без жалоб на боль.", shown)
    assert made == "Там написано: [quoted text]."
