"""Web search and web pages through tools, also by nested agents; and what an agent says that it looked up."""

from __future__ import annotations

import re
from collections.abc import Iterator

from workbench.contamination.attribution import Gain, gained
from workbench.contamination.rule import Action, RunContext, StepContext, distinct, excerpt_of
from workbench.contamination.sayings import said
from workbench.contamination.view import RunView
from workbench.patterns import arguments, program
from workbench.records import Level, Place, Step, StepSource, ToolCall, ToolKind, Violation

_TOOL = re.compile(
    r"(?:^|[_\W])(?:web|browser?|browse|google|bing|duckduckgo|ddg|brave|exa|tavily|serp\w*|perplexity"
    r"|firecrawl"
    r"|jina|kagi|searx\w*|wikipedia|arxiv|pubmed|github|context7|deepwiki|internet|online|puppeteer"
    r"|playwright|url"
    r"|http|crawl\w*|scrape\w*|visit|navigate)(?:[_\W]|$)|web_?(?:search|fetch|page|browse)|search_?(?:web"
    r"|online"
    r"|internet|engine|query)|fetch_?(?:url|page|web)|(?:open|read|get|load)_?(?:url|page|web)",
    re.IGNORECASE,
)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_ADDRESS = re.compile(r"\bhttps?://(?!localhost|127\.|\[::1\]|0\.0\.0\.0)[\w.-]+", re.IGNORECASE)
_ENGINE = re.compile(
    r"(?:google|bing|duckduckgo|ddg|brave|yahoo|startpage|searx|kagi|baidu|yandex"
    r"|ecosia)\.[\w.]+/\S*[?&](?:q|query|p)=",
    re.IGNORECASE,
)
_INTENT = re.compile(
    r"\b(?:search|look|browse|google|find|check|consult|fetch|download|query|use|open|read)\b.{0,60}"
    r"\b(?:web|internet|online|google|github\.com|github|stack ?overflow|physionet\.org|wikipedia"
    r"|mimic-code (?:repo"
    r"|repository)|upstream repo\w*)\b|\bweb ?search\b|\bsearch engine\b|\bgoogle (?:for|it|the)\b",
    re.IGNORECASE | re.DOTALL,
)
_WEB_TOOL = re.compile(r"\b(?:web_?search|web_?fetch|google_web_search|browser_\w+)\b", re.IGNORECASE)
_NOTHING = re.compile(
    r"\b(?:no results?|0 results|nothing found|not (?:available|enabled|allowed|supported|permitted|found)"
    r"|disabled"
    r"|blocked|denied|refused|unavailable|unreachable|offline|no network|unknown tool|timed? ?out"
    r"|unsupported|failed"
    r"|error|forbidden|could not|cannot|unable|resolve host|name resolution)\b",
    re.IGNORECASE,
)
_CLAIMS = re.compile(
    r"\b(?:found|saw|looked (?:\w+ )?up|searched|googled|read|took|copied|fetched|got|downloaded"
    r"|pulled)\b[^.!?\n]{0,60}"
    r"\b(?:on the web|online|on(?:to)? the internet|from the internet|the web|web (?:search|page|result)s?"
    r"|(?:on|from|at|in) (?:the )?(?:public )?(?:github|google|stack ?overflow|physionet))\b"
    r"|\b(?:web|google|internet) search (?:shows?|says?|returned|gave|found|results?)\b",
    re.IGNORECASE,
)
_AGENTS = {"codex", "claude", "gemini", "aider", "opencode", "goose", "ollama", "cursor-agent", "qwen", "llm"}
_SEARCHERS = {
    "ddgr",
    "googler",
    "surfraw",
    "sr",
    "tuxi",
    "how2",
    "howdoi",
    "so",
    "s",
    "web-search",
    "websearch",
}


class WebSearch:
    """Asking the web warns; results that came back fail."""

    name = "web-search"
    version = 1
    severity = Level.FAIL
    description = "the run or one of its nested agents searches or reads the web"
    explanation = (
        "Tools that search or read the web, whatever they are called, search engines in commands, and nested "
        "agents that are sent to the web. A call warns, results that came back fail; an agent that says it "
        "looked "
        "something up waits for a person."
    )
    false_positives = (
        "A tool that only searches files may have a name that sounds like the web: it counts only with "
        "an address or a query and no path. Sentences that say the web cannot be reached are let be."
    )

    def check_step(self, step: Step, context: StepContext) -> list[Violation]:
        found = [item for action in context.actions for item in self._action(action)]
        if step.source is StepSource.AGENT:
            sentence = said(f"{step.message}\n{step.reasoning}", _CLAIMS)
            if sentence:
                found.append(
                    Violation(
                        rule=self.name,
                        level=Level.QUARANTINE,
                        message="the agent says that it looked something up on the web",
                        place=Place(step=step.number),
                        excerpt=excerpt_of(sentence),
                    )
                )
        return distinct(found)

    def check_run(self, view: RunView, context: RunContext) -> list[Violation]:
        return []

    def _action(self, action: Action) -> Iterator[Violation]:
        call = action.call
        asked = " ".join(map(str, call.arguments.values()))
        if call.kind is ToolKind.WEB or _is_web(call):
            yield self._statement(action, "a web tool was used", f"{call.name}: {asked}")
        elif call.kind is ToolKind.AGENT:
            if _INTENT.search(asked):
                yield self._sent(action, asked)
            if action.observation is not None and _WEB_TOOL.search(action.observation.text):
                yield action.violation(self.name, Level.FAIL, "a nested agent used a web tool", call.name)
        for layer in action.layers.layers if action.runs else ():
            for command in layer.shell.commands if layer.shell is not None else ():
                name = program(command)
                words = [text for word in arguments(command) for text in word.values]
                shown = " ".join([name, *words])
                if name in _SEARCHERS and words and (len(name) > 3 or len(words) > 1):
                    yield self._statement(action, f"{name} searches the web", shown)
                elif name in _AGENTS and words:
                    if _INTENT.search(shown) or "--search" in words or "WebSearch" in shown:
                        yield self._sent(action, shown)
                    if action.observation is not None and _WEB_TOOL.search(action.observation.text):
                        yield action.violation(self.name, Level.FAIL, "a nested agent used a web tool", shown)
                elif _ENGINE.search(shown):
                    yield self._statement(action, f"{name} asks a search engine", shown)
            if layer.python is not None and layer.executed:
                for text in layer.python.texts:
                    if _ENGINE.search(text.text) and text.call != "print":
                        yield self._statement(action, "Python asks a search engine", text.text)

    def _sent(self, action: Action, shown: str) -> Violation:
        level = Level.QUARANTINE if _answer(action) else Level.WARN
        return action.violation(self.name, level, "a nested agent is sent to the web", shown)

    def _statement(self, action: Action, message: str, shown: str) -> Violation:
        level = Level.FAIL if _answer(action) else Level.WARN
        return action.violation(self.name, level, message, shown)


def _is_web(call: ToolCall) -> bool:
    """Whether a tool of another kind is one of the web by its name and by what it is asked."""
    if call.kind not in (ToolKind.OTHER, ToolKind.SEARCH, ToolKind.FILE_READ):
        return False
    name = _CAMEL.sub("_", call.name)
    texts = [value for value in call.arguments.values() if isinstance(value, str)]
    if any(_ADDRESS.match(text.strip()) for text in texts):
        return True
    local = call.path or any(key in call.arguments for key in ("path", "file_path", "sql", "code", "command"))
    return bool(_TOOL.search(name)) and not local and bool(texts)


def _answer(action: Action) -> bool:
    """Whether something other than a refusal came back."""
    seen = action.observation
    if seen is None or seen.is_error or not seen.text.strip():
        return False
    if _NOTHING.search(seen.text[:400]) and len(seen.text) < 400:
        return False
    return action.call.command is None or gained(action) is not Gain.NONE
