"""What equals what: one class a way of comparing, each giving SQL over two columns.

``v`` is the output's value as stored by ``read``, ``y`` the reference's as given by ``reference``.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal
from typing import Protocol

ERROR_SCALE = 10**12
"""Errors are summed as whole numbers of this unit, so that no row order changes a sum."""

EXACT_WHOLE = 2.0**53
"""Whole numbers from here on are not all doubles."""

DOUBLE_SLACK = 2.0**-51
SINGLE_SLACK = 2.0**-22
"""How near the edge of a tolerance doubles (or singles) cannot tell, relative to the reference.

Both numbers, the tolerance and the difference are each rounded to within 2^-53 of themselves, so a difference
is off by at most 2^-52 (|y| + 2 tolerance). Within twice that for |y| the decimals themselves are compared.
"""

DECIMAL = "DECIMAL(38, 18)"


class Comparison(Protocol):
    """How one column's values are read and compared."""

    def read(self, text: str) -> str:
        """The output's text as what is stored; NULL only for NULL."""
        ...

    def reference(self, column: str) -> str:
        """The reference's column in a form that compares with it."""
        ...

    def equal(self, v: str, y: str, tolerance: float) -> str:
        """True where equal; false or NULL elsewhere."""
        ...

    def error(self, v: str, y: str, tolerance: float, span: float) -> str | None:
        """Ordered error in 0..``ERROR_SCALE``, never NULL; ``span`` is max - min of the reference."""
        ...


@dataclass(frozen=True)
class Numbers:
    """Numbers as doubles; at the edge of a tolerance as the shortest decimals that are these doubles."""

    flags: bool = False  # the words true and false are 1 and 0
    single: bool = False  # the reference is stored in single precision
    finite: bool = True  # the reference column holds neither infinity nor NaN

    def read(self, text: str) -> str:
        if self.flags:
            return f"flag({text})"
        return f"single_number({text})" if self.single else f"number({text})"

    def reference(self, column: str) -> str:
        number = f"CAST({column} AS DOUBLE)"
        return number if self.finite else f"nullif({number}, CAST('NaN' AS DOUBLE))"

    def equal(self, v: str, y: str, tolerance: float) -> str:
        same = f"WHEN {v} = {y} THEN TRUE WHEN {v} IS NULL THEN {y} IS NULL"
        if not tolerance:
            return f"CASE {same} ELSE FALSE END"
        slack = SINGLE_SLACK if self.single else DOUBLE_SLACK
        edge = f"(abs({y}) + {tolerance!r}) * {slack!r}"
        between = f"abs({self._decimal(v)} - {self._decimal(y)})"
        return (
            f"CASE {same} "
            f"WHEN abs({v} - {y}) > {tolerance!r} + {edge} THEN FALSE "
            f"WHEN abs({v} - {y}) < {tolerance!r} - {edge} THEN TRUE "
            f"ELSE {between} <= CAST('{tolerance!r}' AS {DECIMAL}) END"
        )

    def error(self, v: str, y: str, tolerance: float, span: float) -> str:
        return _error(v, y, self.equal(v, y, tolerance), f"abs({v} - {y})", span)

    def _decimal(self, number: str) -> str:
        """NULL, and so unequal, beyond 10^20, where doubles lie further apart than a tolerance."""
        exact = f"CAST({number} AS FLOAT)" if self.single else number
        return f"TRY_CAST(CAST({exact} AS VARCHAR) AS {DECIMAL})"


@dataclass(frozen=True)
class WideWholes:
    """Whole numbers too large for doubles, compared exactly; kept as text until then."""

    def read(self, text: str) -> str:
        return text

    def reference(self, column: str) -> str:
        return f"CAST({column} AS HUGEINT)"

    def equal(self, v: str, y: str, tolerance: float) -> str:
        whole = int(Decimal(repr(tolerance)).to_integral_value(ROUND_FLOOR))
        near = f"huge_whole({v}) BETWEEN {y} - {whole} AND {y} + {whole}"
        return f"CASE WHEN {v} IS NULL THEN {y} IS NULL ELSE {near} END"

    def error(self, v: str, y: str, tolerance: float, span: float) -> str:
        return _error(f"huge_whole({v})", y, self.equal(v, y, tolerance), f"abs(number({v}) - {y})", span)


@dataclass(frozen=True)
class Moments:
    """Timestamps without zone, in microseconds; the tolerance is in seconds."""

    def read(self, text: str) -> str:
        return f"moment_or_marker({text})"

    def reference(self, column: str) -> str:
        return f"CAST({column} AS TIMESTAMP)"

    def equal(self, v: str, y: str, tolerance: float) -> str:
        return f"CASE WHEN {v} IS NULL THEN {y} IS NULL ELSE {_near_moments(v, y, tolerance)} END"

    def error(self, v: str, y: str, tolerance: float, span: float) -> None:
        return None


@dataclass(frozen=True)
class Texts:
    """Text, character by character. CSV has no empty text beside null: a reference's empty text is null."""

    def read(self, text: str) -> str:
        return text

    def reference(self, column: str) -> str:
        return f"nullif(CAST({column} AS VARCHAR), '')"

    def equal(self, v: str, y: str, tolerance: float) -> str:
        return f"{v} IS NOT DISTINCT FROM {y}"

    def error(self, v: str, y: str, tolerance: float, span: float) -> str | None:
        return None


@dataclass(frozen=True)
class TextsOfNumbers(Texts):
    """A text column declared as numbers or labels: as numbers where both are, else as text."""

    def equal(self, v: str, y: str, tolerance: float) -> str:
        numbers = Numbers(flags=True, finite=False)
        near = numbers.equal(numbers.read(v), numbers.reference(numbers.read(y)), tolerance)
        return f"CASE WHEN {v} IS NOT DISTINCT FROM {y} THEN TRUE WHEN {v} IS NULL THEN FALSE ELSE {near} END"

    def error(self, v: str, y: str, tolerance: float, span: float) -> str:
        return _error(v, y, self.equal(v, y, tolerance), f"abs(number({v}) - number({y}))", span)


@dataclass(frozen=True)
class TextsOfMoments(Texts):
    """A text column declared as time: as timestamps where both are, else as text."""

    def equal(self, v: str, y: str, tolerance: float) -> str:
        near = _near_moments(f"moment({v})", f"moment({y})", tolerance)
        return f"CASE WHEN {v} IS NOT DISTINCT FROM {y} THEN TRUE ELSE {near} END"


def _near_moments(v: str, y: str, tolerance: float) -> str:
    microseconds = int((Decimal(repr(tolerance)) * 1_000_000).to_integral_value(ROUND_FLOOR))
    if not microseconds:
        return f"{v} = {y}"
    width = f"to_microseconds({microseconds})"
    return f"{v} BETWEEN {y} - {width} AND {y} + {width}"


def _error(v: str, y: str, equal: str, distance: str, span: float) -> str:
    if not span > 0:
        return f"CASE WHEN {equal} THEN 0 ELSE {ERROR_SCALE} END"
    part = f"CAST(round(least({distance} / {span!r}, 1.0) * {ERROR_SCALE}) AS BIGINT)"
    return (
        f"CASE WHEN {v} = {y} OR ({v} IS NULL AND {y} IS NULL) THEN 0 "
        f"ELSE coalesce({part}, {ERROR_SCALE}) END"
    )
