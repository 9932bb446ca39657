"""Code inside code: a command's heredocs, ``-c`` arguments, inner shells and files, each as its own layer."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from workbench.patterns.python_code import PythonCode, python_strings
from workbench.patterns.python_values import Surroundings
from workbench.patterns.shell import ShellScript, read_shell
from workbench.patterns.shell_output import standard_input, surroundings
from workbench.patterns.shell_programs import SHELLS, arguments, program, resolve
from workbench.patterns.shell_records import Command
from workbench.patterns.shell_uses import written_texts
from workbench.patterns.shell_words import UNKNOWN

MAX_LAYERS = 400
MAX_DEPTH = 5

SQL_CLIENTS = {"duckdb", "sqlite3", "psql"}
SHELL_SUFFIXES = {".sh", ".bash", ".zsh", ".command"}
PYTHON_SUFFIXES = {".py", ".pyw"}
SQL_SUFFIXES = {".sql", ".ddl", ".duckdbrc"}
_PROSE_SUFFIXES = {".md", ".markdown", ".rst", ".qmd", ".rmd"}
_SQL_OPTIONS = {"-c", "-s", "-cmd", "--command"}
_RUNNERS = {
    "python",
    "bash",
    "sh",
    "zsh",
    "dash",
    "source",
    ".",
    "duckdb",
    "sqlite3",
    "psql",
    "node",
    "Rscript",
    "exec",
}
_NOTEBOOK_RUNNERS = {"jupyter", "jupyter-nbconvert", "jupyter-execute", "papermill", "runipy", "ipython"}
_PYTHON_STARTERS = {"uv", "poetry", "pipenv", "pdm", "hatch", "rye", "conda", "mamba", "ipython", "pypy3"}
_MAKES = {"make": ("Makefile", "makefile", "GNUmakefile"), "just": ("justfile", "Justfile")}
_SHELL_CALLS = {
    "os.system", "os.popen", "subprocess.run", "subprocess.call", "subprocess.check_call",
    "subprocess.check_output", "subprocess.Popen", "subprocess.getoutput", "subprocess.getstatusoutput",
    "pty.spawn", "os.execvp", "os.execv", "os.execve", "os.execvpe", "os.execl", "os.execlp", "os.spawnv",
    "os.spawnvp", "os.spawnl", "os.spawnlp", "os.posix_spawn", "os.posix_spawnp",
    "asyncio.create_subprocess_shell",
    "asyncio.create_subprocess_exec", "commands.getoutput",
}  # fmt: skip
_STARTS_LIST = ("os.exec", "os.spawn", "os.posix_spawn")
_SHELL_METHODS = {".system", ".popen", ".Popen", ".check_output", ".check_call", ".getoutput"}
_FENCE = re.compile(
    r"^(?P<mark>```+|~~~+)[ \t]*\{?(?P<name>\w*)[^\n]*\n(?P<body>.*?)(?:^(?P=mark)|\Z)", re.M | re.S
)
_DOT_READ = re.compile(r"^\.(?:read|shell|sh|system)[ \t]+(?P<rest>.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Layer:
    """One piece of code. ``kind``: ``shell``, ``python``, ``sql`` (certainly SQL) or ``text`` (perhaps).

    ``line`` is where it begins in the outermost text, from 1; ``executed``: it runs, not only lies in a file.
    """

    kind: str
    text: str
    line: int
    folder: str | None
    shell: ShellScript | None = None
    python: PythonCode | None = None
    executed: bool = True


@dataclass(frozen=True)
class Layers:
    """All layers, outermost first. ``complete`` is False where a limit cut something off."""

    layers: tuple[Layer, ...]
    complete: bool


def command_layers(
    command: str,
    folder: str = "/workspace",
    files: Mapping[str, str] | None = None,
    home: str = "/home/agent",
) -> Layers:
    """Layers of a shell command that starts in ``folder``.

    ``files`` are texts of files known to be there, by absolute path: what is executed of them counts.
    """
    collector = _Collector(files or {}, home)
    collector.shell(command, folder, 1, 0, executed=True)
    return collector.result()


def file_layers(
    name: str, text: str, folder: str = "/workspace", files: Mapping[str, str] | None = None, before: str = ""
) -> Layers:
    """Layers of a file's text, read by its name's suffixes (``.SQL``, ``.py.bak``), else by its looks.

    ``files`` are texts of files known to be there; ``before``: code of the same session that ran already.
    """
    collector = _Collector(files or {}, "/home/agent")
    around = Surroundings(files or {}, folder=folder, before=before)
    collector.file(name, text, folder, 1, 0, executed=False, around=around)
    return collector.result()


class _Collector:
    def __init__(self, files: Mapping[str, str], home: str) -> None:
        self._files = dict(files)
        self._home = home
        self._layers: list[Layer] = []
        self._complete = True
        self._opened: set[str] = set()

    def result(self) -> Layers:
        return Layers(tuple(self._layers), self._complete)

    def _add(self, layer: Layer, depth: int) -> bool:
        if len(self._layers) >= MAX_LAYERS or depth > MAX_DEPTH:
            self._complete = False
            return False
        self._layers.append(layer)
        return True

    def shell(self, text: str, folder: str | None, line: int, depth: int, *, executed: bool) -> None:
        script = read_shell(text, folder, {"HOME": self._home, "PWD": folder or UNKNOWN}, self._files)
        self._complete = self._complete and script.complete
        if not self._add(Layer("shell", text, line, folder, shell=script, executed=executed), depth):
            return
        for written in written_texts(script):
            self._files[written.path] = written.text
            self.file(written.path, written.text, folder, line + written.line - 1, depth + 1, executed=False)
        for command in script.commands:
            self._command(command, line - 1, depth + 1, executed=executed)

    def python(
        self,
        text: str,
        folder: str | None,
        line: int,
        depth: int,
        *,
        executed: bool,
        around: Surroundings | None = None,
    ) -> None:
        code = python_strings(text, around or Surroundings(self._files, folder=folder or "/workspace"))
        for call in code.calls:
            if call.name == "os.chdir" and call.texts and call.texts[0]:
                folder = resolve(call.texts[0][0], folder)
        if not self._add(Layer("python", text, line, folder, python=code, executed=executed), depth):
            return
        for path, written in code.written.items():
            self._files[path] = written
            if executed:
                self.file(path, written, folder, line, depth + 1, executed=False)
        for call in code.calls:
            if call.texts and (call.name in _SHELL_CALLS or call.name in _SHELL_METHODS):
                command = " ".join(call.texts[0])
                if call.name.startswith(_STARTS_LIST) and len(call.texts) > 1:
                    command = max((" ".join(texts) for texts in call.texts), key=len)
                elif len(call.texts) > 1 and call.name.startswith("asyncio.create_subprocess_exec"):
                    command = " ".join(text for texts in call.texts for text in texts)
                within = dict(call.keywords).get("cwd", ())
                start = resolve(within[0], folder) if within else folder
                self.shell(command, start, line + call.line - 1, depth + 1, executed=executed)
            elif call.name in ("exec", "eval", "compile") and call.texts:
                for inner in call.texts[0]:
                    self.python(inner, folder, line + call.line - 1, depth + 1, executed=executed)

    def sql(self, text: str, folder: str | None, line: int, depth: int, *, executed: bool) -> None:
        if not self._add(Layer("sql", text, line, folder, executed=executed), depth):
            return
        for found in _DOT_READ.finditer(text):
            at = line + text.count("\n", 0, found.start())
            if found[0].startswith(".read"):
                self._run_file(found["rest"].strip("'\" "), folder, at, depth + 1)
            else:
                self.shell(found["rest"], folder, at, depth + 1, executed=executed)

    def file(
        self,
        name: str,
        text: str,
        folder: str | None,
        line: int,
        depth: int,
        *,
        executed: bool,
        around: Surroundings | None = None,
    ) -> None:
        """Choose by suffix, then by the first line, else it is only text."""
        suffixes = {suffix.lower() for suffix in PurePosixPath(name).suffixes}
        if PurePosixPath(name).name.lower().startswith("."):
            suffixes.add(PurePosixPath(name).name.lower())
        first = text[:200].split("\n", 1)[0]
        if ".ipynb" in suffixes:
            self._notebook(text, folder, depth, executed=executed)
        elif suffixes & PYTHON_SUFFIXES or (first.startswith("#!") and "python" in first):
            self.python(text, folder, line, depth, executed=executed, around=around)
        elif suffixes & SQL_SUFFIXES:
            self.sql(text, folder, line, depth, executed=executed)
        elif suffixes & SHELL_SUFFIXES or first.startswith("#!"):
            self.shell(text, folder, line, depth, executed=executed)
        elif suffixes & _PROSE_SUFFIXES:
            self._fenced(text, folder, line, depth)
        else:
            self._add(Layer("text", text, line, folder, executed=executed), depth)

    def _command(self, command: Command, before: int, depth: int, *, executed: bool) -> None:
        name = program(command)
        words = [text for word in arguments(command) for text in word.values]
        line = before + command.line
        given = standard_input(command)
        given_line = before + command.heredocs[-1].line if command.heredocs else line
        if name in SQL_CLIENTS:
            self._client(command, line, depth, executed=executed)
            if given is not None:
                self.sql(given, command.folder, given_line, depth, executed=executed)
        elif name == "python":
            if "-c" in words[:-1]:
                place = words.index("-c") + 1
                around = surroundings(command, tuple(words[place + 1 :]), given)
                self.python(words[place], command.folder, line, depth, executed=executed, around=around)
            elif given is not None and not [word for word in words if not word.startswith("-")]:
                around = surroundings(command)
                self.python(given, command.folder, given_line, depth, executed=executed, around=around)
            else:
                self._loose_words(command, words, line, depth, executed=executed)
        elif name not in SHELLS and name not in (
            "echo",
            "printf",
            "cat",
            "tee",
            "grep",
            "egrep",
            "rg",
            "sed",
            "awk",
            "git",
        ):
            given_words = [*words, given] if given else words
            self._loose_words(command, given_words, line, depth, executed=executed)
        self._executed_files(command, name, words, line, depth)

    def _loose_words(
        self, command: Command, words: list[str], line: int, depth: int, *, executed: bool
    ) -> None:
        """Arguments of any program that may be SQL."""
        for text in words:
            if re.search(r"\s", text):
                self._add(Layer("text", text, line, command.folder, executed=executed), depth)

    def _client(self, command: Command, line: int, depth: int, *, executed: bool) -> None:
        """``duckdb file.db -c '…'`` and the query as a plain word after the database."""
        words = arguments(command)
        plain = 0
        skip = False
        for position, word in enumerate(words):
            if skip:
                skip = False
                continue
            queries: tuple[str, ...] = ()
            if word.text in _SQL_OPTIONS and position + 1 < len(words):
                queries, skip = words[position + 1].values, True
            elif not word.text.startswith("-"):
                plain += 1
                if plain > 1 or re.search(r"\s", word.text):
                    queries = word.values
            for query in queries:
                self.sql(query, command.folder, line, depth, executed=executed)

    def _executed_files(self, command: Command, name: str, words: list[str], line: int, depth: int) -> None:
        own = command.argv[0].text if command.argv else ""
        if name in _MAKES:
            self._made(command, _MAKES[name], words, line, depth)
        if name == "python" and "-m" in words[:-1]:
            words = [f"{words[words.index('-m') + 1].replace('.', '/')}.py", *words]
        if name in _NOTEBOOK_RUNNERS | _PYTHON_STARTERS:
            runs = name not in ("jupyter", "jupyter-nbconvert") or {"--execute", "execute", "run"} & set(
                words
            )
            candidates = [word for word in words if re.search(r"\.(?:ipynb|py)$", word)] if runs else []
        elif name in _RUNNERS:
            read = [item.target.text for item in command.redirects if item.operator == "<"]
            candidates = [word for word in [*words, *read] if not word.startswith("-")]
        else:
            candidates = [own, *words] if own.startswith(("/", "./", "../")) else []
        for place, word in enumerate(candidates):
            around = surroundings(command, tuple(candidates[place + 1 :]), standard_input(command))
            self._run_file(word, command.folder, line, depth, around)

    def _made(
        self, command: Command, names: tuple[str, ...], words: list[str], line: int, depth: int
    ) -> None:
        """Recipes of a known makefile, all of them: which target needs which is not looked at."""
        given = [words[place + 1] for place, word in enumerate(words[:-1]) if word in ("-f", "--file")]
        for name in given or names:
            text = self._files.get(resolve(name, command.folder) or "")
            if text is not None:
                written = re.sub(r"^([A-Za-z_]\w*)\s*[:?]?=\s*(.*)$", r"\1='\2'", text, flags=re.MULTILINE)
                written = re.sub(r"^[\w.%/ -]+:(?!=)[^\n]*$", "", written, flags=re.MULTILINE)
                written = re.sub(r"\$[({](\w+)[)}]", r"${\1}", written).replace("$$", "$")
                written = re.sub(r"^(?:\t| {4})[@-]*", "", written, flags=re.MULTILINE)
                self.shell(written, command.folder, line, depth + 1, executed=True)
                return

    def _run_file(
        self, word: str, folder: str | None, line: int, depth: int, around: Surroundings | None = None
    ) -> None:
        path = resolve(word, folder)
        key = f"{path} {' '.join(around.arguments) if around else ''}"
        if path is None or key in self._opened or path not in self._files:
            return
        self._opened.add(key)
        self.file(path, self._files[path], folder, line, depth, executed=True, around=around)

    def _notebook(self, text: str, folder: str | None, depth: int, *, executed: bool) -> None:
        try:
            document = json.loads(text)
        except (ValueError, RecursionError):
            self._complete = False
            return
        cells = document.get("cells") if isinstance(document, dict) else None
        for cell in cells if isinstance(cells, list) else []:
            source = cell.get("source") if isinstance(cell, dict) else None
            body = "".join(map(str, source)) if isinstance(source, list) else source
            if isinstance(body, str) and cell.get("cell_type") == "code":
                self._cell(body, folder, depth, executed=executed)

    def _cell(self, body: str, folder: str | None, depth: int, *, executed: bool) -> None:
        """A notebook cell with its magics. Lines are those of the cell."""
        magic = re.match(r"\s*%%(\w+)[^\n]*\n", body)
        rest = body[magic.end() :] if magic else body
        if magic and magic[1] in ("bash", "sh", "script"):
            self.shell(rest, folder, 2, depth, executed=executed)
        elif magic and magic[1] in ("sql", "duckdb"):
            self.sql(rest, folder, 2, depth, executed=executed)
        else:
            for found in re.finditer(r"^\s*!(.+)$", rest, re.MULTILINE):
                self.shell(found[1], folder, 1, depth + 1, executed=executed)
            for found in re.finditer(r"^\s*%sql\s+(.+)$", rest, re.MULTILINE):
                self.sql(found[1], folder, 1, depth + 1, executed=executed)
            code = re.sub(r"^[ \t]*[!%][^\n]*$", "", rest, flags=re.MULTILINE)
            self.python(code, folder, 1, depth, executed=executed)

    def _fenced(self, text: str, folder: str | None, line: int, depth: int) -> None:
        """Code blocks of a Markdown file; they do not run."""
        for found in _FENCE.finditer(text):
            at = line + text.count("\n", 0, found.start("body"))
            kind = found["name"].lower()
            if kind in ("sql", "duckdb", "postgresql"):
                self.sql(found["body"], folder, at, depth, executed=False)
            elif kind in ("python", "py", "python3"):
                self.python(found["body"], folder, at, depth, executed=False)
            elif kind in ("bash", "sh", "shell", "console"):
                self.shell(found["body"], folder, at, depth, executed=False)
