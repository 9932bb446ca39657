"""Which hosts and libraries a piece of Python reaches for, under whatever name it calls them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from workbench.contamination.network_names import (
    ADDRESS,
    PYTHON_CALLS,
    PYTHON_HARMLESS,
    PYTHON_LIBRARIES,
    PYTHON_METHODS,
    is_loopback,
    outside_host,
)
from workbench.patterns import PythonCall, PythonCode

MAX_CALLS = 2_000
_PREFIXES = tuple(f"{name}." for name in PYTHON_LIBRARIES)
_OPENS = re.compile(
    r"read_|scan_|urlopen|urlretrieve|open|connect|from_csv|clone|goto|Repo|retrieve|download|filesystem|engine|Client"
    r"|Proxy|get_file|xml\.sax\.parse|from_url"
)
_METHODS = re.compile(r"\.(?:get|post|put|head|request|send|fetch|load|parse|stream|setopt|__call__)$|^$")
"""What only reaches out where a library for that is there."""
_BY_NAME = {"__import__", "importlib.import_module", "import_module", "importlib.reload", "runpy.run_module"}
_LOADED = re.compile(r"(?:^|/)(?:libcurl|libssl|libc\.so|libresolv|libsocket)")
_LOW_LEVEL = {".socket", ".connect", ".curl_easy_init", ".gethostbyname", ".getaddrinfo", ".sendto"}
_REMOTE = re.compile(r"(?:md|motherduck):|.*\bhost(?:addr)?\s*=")


def python_reaches(code: PythonCode) -> Iterator[tuple[str, str]]:
    """Pairs of a host or library and the call that reaches for it.

    Code whose addresses are all on this machine reaches for nothing: so is the gateway called.
    """
    calls = list(islice(code.calls, MAX_CALLS))
    texts = [text for call in calls for text in _texts(call)]
    only_here = any(_local(text) for text in texts) and not any(outside_host(text) for text in texts)
    named = {
        text.split(".")[0] for call in calls if call.name in _BY_NAME for text in (call.texts or ((),))[0]
    }
    clients = bool(named) or any(f"{item}.".startswith(_PREFIXES) for item in code.imports)
    low_level = any(
        call.name.startswith("ctypes.") and any(map(_LOADED.search, _texts(call))) for call in calls
    )
    for call in calls:
        host = next((found for text in _texts(call) if (found := outside_host(text))), "")
        name = call.name.removeprefix("pip._vendor.")
        if host and (
            _OPENS.search(name) or name.startswith(_PREFIXES) or (clients and _METHODS.search(name))
        ):
            yield host, call.name
        elif only_here:
            continue
        elif f"{name}.".startswith(_PREFIXES) or name in PYTHON_CALLS or name.startswith(PYTHON_CALLS):
            if not PYTHON_HARMLESS.match(name):
                yield name, call.name
        elif name in PYTHON_METHODS or (low_level and name in _LOW_LEVEL):
            yield name.lstrip("."), call.name
        elif name in (
            ".install_extension",
            ".load_extension",
            "duckdb.install_extension",
            "duckdb.load_extension",
        ):
            yield "an extension of the database", call.name
        elif name.endswith("connect") and any(_REMOTE.match(text[:500]) for text in _texts(call)):
            yield "a database elsewhere", call.name
    if named & {item.split(".")[0] for item in PYTHON_LIBRARIES} and not only_here:
        yield sorted(named)[0], "__import__"


def _texts(call: PythonCall) -> list[str]:
    places = [*call.texts, *(texts for _, texts in call.keywords)]
    return [text for texts in (*places, call.base) for text in texts]


def _local(text: str) -> bool:
    found = ADDRESS.match(text.strip())
    return bool(text.strip()) and (bool(found) or "." in text or text == "localhost") and is_loopback(text)
