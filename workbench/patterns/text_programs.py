"""What simple commands print, and what programs that change text make of a known one."""

from __future__ import annotations

import re

from workbench.patterns.awk_words import awk_output
from workbench.patterns.decoded import (
    from_base32,
    from_base64,
    from_hex,
    inflated,
    spread,
    substituted,
    translated,
)
from workbench.patterns.shell_words import UNKNOWN, Texts, ansi_c

MAX_LINES = 2_000
"""Of a text that is cut into fields or pasted."""
_HEX_BACK = {"-r", "-p", "-rp", "-pr", "-ps", "-plain"}


def printed(argv: Texts, stdin: str | None) -> str | None:
    """What a simple command prints, where its arguments alone decide that; else None."""
    if not argv:
        return None
    program, *arguments = argv
    if program == "echo":
        options = {item for item in arguments if re.fullmatch(r"-[neE]+", item)}
        text = " ".join(item for item in arguments if item not in options)
        signs = "".join(options)
        return (ansi_c(text) if "e" in signs else text) + ("" if "n" in signs else "\n")
    if program == "printf" and arguments:
        return _printf(arguments)
    if program in ("awk", "gawk", "mawk") and stdin is None:
        return awk_output(arguments, [])
    if stdin is None:
        return None
    if program == "cat" and not [item for item in arguments if item != "-"]:
        return stdin
    return _filtered(program, arguments, stdin)


def _filtered(program: str, arguments: list[str], stdin: str) -> str | None:
    """What a program that changes text makes of a known one."""
    options = {item for item in arguments if item.startswith("-")}
    if program in (
        "gunzip",
        "zcat",
        "gzip",
        "bunzip2",
        "bzcat",
        "xzcat",
        "zlib-flate",
        "xz",
        "bzip2",
        "pigz",
    ):
        return inflated(stdin)
    if program == "openssl" and "-d" in options and {"base64", "-base64", "-a"} & set(arguments):
        return from_base64(stdin)
    if program == "basenc" and options & {"-d", "--decode"}:
        named = {"--base64": from_base64, "--base32": from_base32, "--base16": from_hex}
        return next((decode(stdin) for name, decode in named.items() if name in options), None)
    if program in ("base64", "base32") and options & {"-d", "--decode", "-D", "-di"}:
        return (from_base64 if program == "base64" else from_base32)(stdin)
    if program == "xxd" and options and options <= _HEX_BACK and "r" in "".join(options):
        return from_hex(stdin)
    if program == "tr":
        return _signs(arguments, stdin)
    if program == "sed":
        return _edited(arguments, stdin)
    return _cut_up(program, arguments, stdin)


def _signs(arguments: list[str], stdin: str) -> str | None:
    """``tr``: signs taken away, squeezed or put for others."""
    plain = [ansi_c(item) for item in arguments if not re.fullmatch(r"-[dsc]+", item)]
    options = "".join(item[1:] for item in arguments if re.fullmatch(r"-[dsc]+", item))
    if options == "d" and len(plain) == 1:
        dropped = spread(plain[0])
        return None if "[:" in plain[0] else "".join(sign for sign in stdin if sign not in dropped)
    if options in ("", "s") and len(plain) == 2:
        return translated(stdin, *plain)
    return None


def _edited(arguments: list[str], stdin: str) -> str | None:
    """``sed`` with scripts of ``s``, ``y`` and line numbers to print."""
    scripts: list[str] = []
    rest = list(arguments)
    while rest:
        word = rest.pop(0)
        if word in ("-e", "--expression") and rest:
            scripts.append(rest.pop(0))
        elif not word.startswith("-"):
            scripts.append(word)
    extended = any(re.fullmatch(r"-[nuz]*[Er]\w*", word) for word in arguments)
    quiet = any(re.fullmatch(r"-[Eruz]*n\w*", word) for word in arguments)
    text: str | None = stdin
    for script in scripts:
        if text is None:
            return None
        if quiet and (found := re.fullmatch(r"(\d+)(?:,(\d+|\$))?p", script)):
            lines = text.split("\n")
            last = len(lines) if found[2] == "$" else int(found[2] or found[1])
            text = "\n".join(lines[int(found[1]) - 1 : last])
        elif found := re.fullmatch(r"y(.)(.*?)\1(.*?)\1", script):
            text = text.translate(dict(zip(map(ord, found[2]), found[3], strict=False)))
        else:
            text = substituted(text, script, extended=extended)
    return text if scripts else None


def _cut_up(program: str, arguments: list[str], stdin: str) -> str | None:
    """Lines and fields chosen, turned round or put together."""
    lines = stdin.rstrip("\n").split("\n")[:MAX_LINES]
    together = " ".join(arguments)
    if program == "tac":
        return "\n".join(lines[::-1]) + "\n"
    if program == "rev":
        return "\n".join(line[::-1] for line in lines) + "\n"
    if program in ("sort", "uniq", "column", "nl") and not arguments:
        return "\n".join(sorted(lines) if program == "sort" else lines) + "\n"
    if program == "fold" and (found := re.fullmatch(r"-w ?(\d+)", together)) and int(found[1]):
        width = int(found[1])
        return "".join(f"{line[at : at + width]}\n" for line in lines for at in range(0, len(line), width))
    if program == "grep" and together in ("-o .", "-oE .", "-o . -"):
        return "".join(f"{sign}\n" for line in lines for sign in line)
    if program in ("head", "tail") and (found := re.fullmatch(r"-c ?(\+?)(\d+)", together)):
        count = int(found[2])
        if program == "head":
            return stdin[:count]
        return stdin[count - 1 :] if found[1] else stdin[len(stdin) - min(count, len(stdin)) :]
    if program in ("head", "tail") and (found := re.fullmatch(r"-n? ?(\d+)", together)):
        count = int(found[1])
        return "\n".join(lines[:count] if program == "head" else lines[-count:]) + "\n"
    if program == "paste" and together.startswith("-s"):
        mark = re.sub(r"^-s-?d?|-$", "", "".join(arguments)).replace("\\0", "")
        return mark.join(lines) + "\n"
    if program in ("awk", "gawk", "mawk"):
        return awk_output(arguments, lines)
    return _fields(together, lines) if program == "cut" else None


def _fields(options: str, lines: list[str]) -> str | None:
    """``cut`` by places or by fields."""
    if found := re.fullmatch(r"-[cb] ?(\d*)(-?)(\d*)", options):
        start = int(found[1] or 1) - 1
        end = int(found[3]) if found[3] else (None if found[2] else start + 1)
        return "\n".join(line[start:end] for line in lines)
    by = re.search(r"-d ?(\S| (?= |$))", options)
    wanted = re.search(r"-f ?([\d,-]+)", options)
    if wanted is None:
        return None
    mark = by[1] if by else "\t"
    found_lines = []
    for line in lines:
        parts = line.split(mark)
        chosen: list[str] = []
        for item in wanted[1].split(","):
            first, dash, last = item.partition("-")
            begin = int(first or 1) - 1
            chosen += parts[begin : int(last or len(parts)) if dash else begin + 1]
        found_lines.append(mark.join(chosen) if len(parts) > 1 else line)
    return "\n".join(found_lines) + "\n"


def _number(kind: str, values: list[str]) -> str:
    """The next value in another base, taken from the values; a plain ``%d`` keeps its place."""
    if kind == "d" or not values or not values[0].isdigit():
        return "%d" if kind == "d" else UNKNOWN
    return format(int(values.pop(0)), kind)


def _printf(arguments: list[str]) -> str:
    form, *values = arguments
    if "%b" in form:
        values = [ansi_c(value) for value in values]
    form = ansi_c(form.replace("%%", "%"))
    form = re.sub(r"%0?(\d?)([xoXd])", lambda found: _number(found[2], values), form) if "%" in form else form
    pieces = re.split(r"%[sbdqc]", form)
    filled = [*values[: len(pieces) - 1], *[""] * len(pieces)]
    return "".join(piece + value for piece, value in zip(pieces, filled, strict=False))
