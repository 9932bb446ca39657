"""What a small ``awk`` program prints: words, variables, separators and fields, nothing that branches."""

from __future__ import annotations

import re
from collections.abc import Sequence

from workbench.patterns.shell_words import ansi_c

MAX_PRINTED = 200
"""Lines that are printed at most."""
_BLOCK = re.compile(r"(BEGIN|END|NR ?== ?\d+)?\s*\{([^{}]*)\}")
_TERM = re.compile(r"\"((?:[^\"\\]|\\.)*)\"|\$(\d+|NF)|([A-Za-z_]\w*)(?![\w(\[])|(,)|\s+")
_SET = re.compile(r"([A-Za-z_]\w*|\$\d+)\s*=(?!=)\s*(.*)", re.DOTALL)


def awk_output(arguments: Sequence[str], lines: Sequence[str]) -> str | None:
    """What the program prints over these lines; None where anything in it is not understood."""
    variables = {"OFS": " ", "FS": " ", "ORS": "\n"}
    rest = list(arguments)
    script = ""
    while rest:
        word = rest.pop(0)
        if word in ("-v", "-F") and rest:
            word += rest.pop(0)
        if word.startswith("-v"):
            name, _, value = word[2:].partition("=")
            variables[name] = ansi_c(value)
        elif word.startswith("-F"):
            variables["FS"] = ansi_c(word[2:])
        elif not word.startswith("-") and not script:
            script = word
        elif word != "-":
            return None
    blocks = _BLOCK.findall(script)
    if not blocks or _BLOCK.sub("", script).strip():
        return None
    return _run(blocks, variables, lines)


def _run(blocks: list[tuple[str, str]], variables: dict[str, str], lines: Sequence[str]) -> str | None:
    printed: list[str] = []
    for when in ("BEGIN", "", "END"):
        for number, line in enumerate(lines if not when else [""], 1):
            chosen = [body for at, body in blocks if at == when or (not when and _is_line(at, number))]
            fields = [
                line,
                *(line.split() if variables["FS"] == " " else line.split(variables["FS"] or "\0")),
            ]
            for body in chosen:
                for statement in re.split(r"[;\n]", body):
                    if not _statement(statement.strip(), variables, fields, printed):
                        return None
            if len(printed) > MAX_PRINTED:
                return None
    return "".join(printed)


def _is_line(condition: str, number: int) -> bool:
    return condition.startswith("NR") and int(re.sub(r"\D", "", condition)) == number


def _statement(text: str, variables: dict[str, str], fields: list[str], printed: list[str]) -> bool:
    """Carry out one statement; False where it is not understood."""
    if found := re.fullmatch(r"print(f?)\b\s*(.*)", text, re.DOTALL):
        inner = found[2].strip()
        inner = inner[1:-1] if inner.startswith("(") and inner.endswith(")") else inner
        values = _values(inner, variables, fields) if inner else [fields[0]]
        if values is None:
            return False
        if found[1]:
            form, *given = values or [""]
            parts = re.split(r"%[sdc]", form)
            filled = [*given[: len(parts) - 1], *[""] * len(parts)]
            printed.append("".join(part + value for part, value in zip(parts, filled, strict=False)))
        else:
            printed.append(variables["OFS"].join(values) + variables["ORS"])
        return True
    if assigned := _SET.fullmatch(text):
        values = _values(assigned[2], variables, fields)
        if values is None or len(values) != 1:
            return assigned[2].strip() == assigned[1] and _rejoined(variables, fields)
        name = assigned[1]
        if not name.startswith("$"):
            variables[name] = values[0]
        elif 0 < int(name[1:]) < len(fields):
            fields[int(name[1:])] = values[0]
            return _rejoined(variables, fields)
        return True
    return not text


def _rejoined(variables: dict[str, str], fields: list[str]) -> bool:
    fields[0] = variables["OFS"].join(fields[1:])
    return True


def _values(text: str, variables: dict[str, str], fields: list[str]) -> list[str] | None:
    """Values between commas, each of terms behind each other; None for other expressions."""
    values, at = [""], 0
    while at < len(text):
        found = _TERM.match(text, at)
        if found is None:
            return None
        quoted, field, name, comma = found.groups()
        if comma:
            values.append("")
        elif quoted is not None:
            values[-1] += ansi_c(quoted)
        elif field is not None:
            place = len(fields) - 1 if field == "NF" else int(field)
            values[-1] += fields[place] if place < len(fields) else ""
        elif name is not None:
            values[-1] += variables.get(name, "")
        at = found.end()
    return values
