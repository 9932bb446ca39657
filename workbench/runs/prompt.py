"""The prompt: the same frame for every task, condition and agent."""

from __future__ import annotations

from workbench.records import DATABASE_FILE, OUTPUT_NAME, WORK_FOLDER

FRAME = """\
{instruction}

## Where things are

- The database is the DuckDB file `{database}`, read-only. Python 3 with the `duckdb` module is installed
  (`duckdb.connect("{database}", read_only=True)`).
- Work in `{work}`. Write the result to `{work}/{output}`: comma-separated, UTF-8, one header line with the
  column names given above, an empty field for a missing value.
- There is no internet. Nobody answers questions: decide, and finish with the file written.
"""


def build_prompt(instruction: str, addition: str) -> str:
    """Instruction, the condition's addition if any, and the frame."""
    text = FRAME.format(
        instruction=instruction.strip(), database=DATABASE_FILE, work=WORK_FOLDER, output=OUTPUT_NAME
    )
    return f"{text}\n{addition.strip()}\n" if addition.strip() else text
