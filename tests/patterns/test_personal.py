"""What names or reaches a person in text, and what only looks a little like it."""

import pytest

from workbench.patterns import find_personal


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("ask ada.byron@hospital.org", "e-mail address"),
        ("call (555) 010-4477 at night", "telephone number"),
        ("call +49 30 901820 12", "telephone number"),
        ("SSN 078-05-1120", "social security number"),
        ("MRN: 4481207", "medical record number"),
        ("medical record number 4481207", "medical record number"),
    ],
)
def test_found_with_its_line(text: str, kind: str) -> None:
    (found,) = find_personal(f"first\nsecond {text}\n")
    assert (found.kind, found.line) == (kind, 2)
    assert not hasattr(found, "text")


@pytest.mark.parametrize(
    "text",
    [
        "ada@example.org", "x@mail.example", "@dataclass", "a @ b", "2180-05-01 12:00:00", "220045-220046",
        "Chest 1992;101:1644-1655", "ICD 410-412", "000-12-3456", "+5 to +10", "MRN", "1.5e-10", "1947-1950",
    ],
)  # fmt: skip
def test_not_found(text: str) -> None:
    assert list(find_personal(text)) == []
