"""The strict pass: five checks in order."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.records import ColumnScore, KeyScore, StrictCheck, Task

EXISTS = "file exists"
IS_CSV = "is CSV with rows"
COLUMNS = "has required columns"
COVERAGE = "key coverage"
ACCURACY = "column accuracy"
CHECKS = (EXISTS, IS_CSV, COLUMNS, COVERAGE, ACCURACY)
NOT_REACHED = "not reached"


def checks_of_unreadable(reason: str, *, found: bool) -> list[StrictCheck]:
    """The checks of a file that is not there or cannot be read."""
    first = StrictCheck(check=EXISTS, passed=found, detail="" if found else reason)
    second = StrictCheck(check=IS_CSV, passed=False, detail=reason if found else NOT_REACHED)
    rest = [StrictCheck(check=name, passed=False, detail=NOT_REACHED) for name in CHECKS[2:]]
    return [first, second, *rest]


def strict_checks(
    task: Task, missing: Sequence[str], missing_detail: str, keys: KeyScore, columns: Sequence[ColumnScore]
) -> list[StrictCheck]:
    """All checks of an output that was read, each on its own. A share equal to its threshold meets it."""
    limits = task.thresholds
    low = [column.column for column in columns if column.match_rate < limits.column_accuracy]
    least = f"{limits.column_accuracy:g}"
    accuracy = f"below {least}: {', '.join(low)}" if low else f"all {len(columns)} columns at least {least}"
    coverage = f"{keys.matched} of {keys.reference_rows} keys; a share of {limits.key_coverage:g} is asked"
    return [
        StrictCheck(check=EXISTS, passed=True),
        StrictCheck(
            check=IS_CSV,
            passed=keys.output_rows > 0,
            detail="" if keys.output_rows else "it has a header and no rows",
        ),
        StrictCheck(check=COLUMNS, passed=not missing, detail=missing_detail),
        StrictCheck(
            check=COVERAGE,
            passed=keys.recall >= limits.key_coverage,
            detail=coverage,
            threshold=limits.key_coverage,
        ),
        StrictCheck(check=ACCURACY, passed=not low, detail=accuracy, threshold=limits.column_accuracy),
    ]


def passes(checks: Sequence[StrictCheck]) -> bool:
    """All five passed."""
    return len(checks) == len(CHECKS) and all(check.passed for check in checks)
