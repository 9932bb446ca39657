"""The one registry of actions: footer, help, palette and key map all come from it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from unicodedata import category

from textual.binding import Binding, BindingType
from textual.keys import REPLACED_KEYS, Keys, _character_to_key, key_to_character

NOT_ALONE = ("ctrl+h", "ctrl+i", "ctrl+j", "ctrl+m", "ctrl+enter")
"""Keys that many terminals send as backspace, tab or return: never the only key of an action."""

_IN_FIELDS = ("field", "prompt", "finder", "editor", "edit")
"""Scopes that hold while a person types a text."""
_LEAVING = ("app.back",)
"""Ways out of a text that is typed: of their keys one at least must be no letter."""
_NAMED = {key.value for key in Keys if not key.value.startswith("<")} | {"enter", "space"}
_KEYBOARD_END = 0x2000
"""Signs from here on are on no keyboard, but for those of money; by their names many words are one."""
KEY_EXAMPLES = "f5, ctrl+r, alt+x, shift+left, question_mark, or one character"
_SHOWN_MODIFIERS = re.compile(r"^(?:(?:ctrl|shift|alt|meta|super)[-+](?=.))+")
_SHOWN_NAMES = {"esc": "escape", "pgup": "pageup", "pgdn": "pagedown", "bksp": "backspace", "del": "delete"}
_MODIFIERS = re.compile(r"^(?:(?:ctrl|shift|alt|meta|super)\+)*")


@dataclass(frozen=True)
class Action:
    """A named thing a key does.

    ``id`` is ``<scope>.<name>``; a class of that scope has a method ``action_<name>`` (``-`` as ``_``).
    ``key`` is Textual's name of the key, several with commas; ``title`` goes to the footer, ``help`` is one
    sentence. ``shown``: in the footer. ``priority``: before the focused widget sees the key. ``alone``: it
    needs no line that the cursor is on and no second thought, so that the palette can do it from elsewhere.
    ``moves``: it moves a cursor or changes what is typed, and leaves focus, screens and what keys mean alone:
    the next of its kind need not wait until it is done.
    """

    id: str
    key: str
    title: str
    help: str
    shown: bool = True
    priority: bool = False
    alone: bool = False
    moves: bool = False

    @property
    def scope(self) -> str:
        return self.id.partition(".")[0]

    @property
    def method(self) -> str:
        """Textual's action name."""
        return self.id.partition(".")[2].replace("-", "_")

    @property
    def keys(self) -> tuple[str, ...]:
        return split_keys(self.key)


@dataclass(frozen=True)
class Scope:
    """Where actions hold: the app, a screen, or a kind of widget.

    ``within``: scopes whose actions hold at the same time. A key may have one meaning in all of them.
    ``also``: scopes that hold in the same screen while a person types there. ``words``: id, title and help of
    actions of other scopes as they are told of on this screen, in the footer too.
    """

    name: str
    title: str
    within: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    words: tuple[tuple[str, str, str], ...] = ()


@dataclass(frozen=True)
class Conflict:
    """One key with two meanings in the same place."""

    key: str
    first: str
    second: str
    scope: str

    def other(self, action_id: str) -> str:
        """The action that ``action_id`` shares the key with."""
        return self.second if action_id == self.first else self.first


def split_keys(keys: str) -> tuple[str, ...]:
    """The keys of a comma-separated list, by the names that Textual sends: ``?`` is ``question_mark``, and
    ``^t``, ``ctrl-t`` and ``esc`` are ``ctrl+t`` and ``escape``, as the app shows them.
    """
    return tuple(_sent(_as_sent(key.strip())) for key in keys.split(",") if key.strip())


def registry() -> tuple[Action, ...]:
    """All actions of the app."""
    from workbench.tui.action_table import ACTIONS

    return ACTIONS


def scopes() -> dict[str, Scope]:
    """All scopes by name."""
    from workbench.tui.action_table import SCOPES

    return {scope.name: scope for scope in SCOPES}


def in_scope(scope: str) -> tuple[Action, ...]:
    """The actions of one scope, in the order of the table."""
    return tuple(action for action in registry() if action.scope == scope)


def active_scopes(scope: str) -> tuple[str, ...]:
    """``scope`` and all that hold together with it."""
    return (scope, *scopes()[scope].within)


def told_in(scope: str, action: Action) -> Action:
    """The action with the title and the help that it has on that screen."""
    for name, title, words in scopes()[scope].words if scope in scopes() else ():
        if name == action.id:
            return replace(action, title=title, help=words, shown=True)
    return action


def bindings(scope: str) -> list[BindingType]:
    """Textual bindings of one scope: ``BINDINGS = bindings("runs")``."""
    return [
        Binding(
            action.key, action.method, action.title, show=action.shown, priority=action.priority, id=action.id
        )
        for action in in_scope(scope)
    ]


def by_id(action_id: str) -> Action | None:
    """The action of that id."""
    return next((action for action in registry() if action.id == action_id), None)


def keys_of(action: Action, remapped: Mapping[str, str]) -> tuple[str, ...]:
    """The keys the action has now."""
    return split_keys(remapped[action.id]) if action.id in remapped else action.keys


def conflicts(remapped: Mapping[str, str] | None = None) -> list[Conflict]:
    """Keys with two meanings in one place, with the user's keys applied."""
    remapped = remapped or {}
    found = []
    for scope in scopes():
        taken: dict[str, str] = {}
        for action in _together(scope):
            for key in keys_of(action, remapped):
                if taken.setdefault(key, action.id) != action.id:
                    found.append(Conflict(key, taken[key], action.id, scope))
    return found


def check_keys(remapped: Mapping[str, str]) -> list[str]:
    """What is wrong with the keys of the configuration, one sentence each."""
    if not remapped:
        return []
    problems = [f"no action is called {name}" for name in remapped if by_id(name) is None]
    for name, keys in remapped.items():
        given = split_keys(keys)
        if not given:
            problems.append(f"{name} has no key")
        problems += [
            f"{name}: no key is called {key}; keys are called {KEY_EXAMPLES}"
            for key in given
            if not is_key(key)
        ]
        if given and all(key in NOT_ALONE for key in given):
            problems.append(f"{name}: {keys} cannot be the only key, many terminals do not send it")
        problems += typed_away(name, given)
    problems += [
        f"{item.key} means both {item.first} and {item.second} in {item.scope}"
        for item in conflicts(remapped)
    ]
    return list(dict.fromkeys(problems))


def typed_away(action_id: str, keys: Sequence[str]) -> list[str]:
    """What is wrong with keys of an action that has to work while a person types a text."""
    action = by_id(action_id)
    if action is None:
        return []
    letters = [key for key in keys if (key_to_character(key) or "\n").isprintable()]
    if letters and (action.priority or action.scope in _IN_FIELDS):
        return [f"{action_id}: {letters[0]} cannot be its key, it is typed into a text"]
    if len(letters) == len(keys) and action_id in _LEAVING:
        return [f"{action_id}: needs a key that is not typed into a text"]
    return []


def refusal(action_id: str, keys: str, remapped: Mapping[str, str]) -> str:
    """Why the action cannot have these keys beside the ones that are set; empty where it can."""
    wanted = {**remapped, action_id: keys}
    taken = [item for item in conflicts(wanted) if action_id in (item.first, item.second)]
    for item in taken:
        other = by_id(item.other(action_id))
        if other is not None:
            where = scopes()[other.scope].title
            taken_by = f"{key_label(item.key)} is the key of {other.title} ({other.id}, {where}) already"
            return f"{taken_by}; give that command another key first, or take another key here"
    known = check_keys(remapped)
    return next((problem for problem in check_keys(wanted) if problem not in known), "")


def is_key(key: str) -> bool:
    """Whether a terminal has a key of that name: a known one, one character, or a sign's own name."""
    name = _MODIFIERS.sub("", key)
    if key in _NAMED or name in _NAMED:
        return True
    sign = key_to_character(REPLACED_KEYS.get(name, name))
    if sign is None or not sign.isprintable():
        return False
    if len(name) == 1:
        return True
    on_keyboards = ord(sign) < _KEYBOARD_END or category(sign) == "Sc"
    return on_keyboards and not sign.isalnum()


def key_label(key: str) -> str:
    """The key as a person reads it."""
    labels = {
        "question_mark": "?", "slash": "/", "escape": "esc", "space": "space", "left_square_bracket": "[",
        "right_square_bracket": "]", "comma": ",", "full_stop": ".", "greater_than_sign": ">",
        "less_than_sign": "<", "left_curly_bracket": "{", "right_curly_bracket": "}", "colon": ":",
        "pageup": "pgup", "pagedown": "pgdn",
        "backspace": "bksp", "delete": "del", "asterisk": "*", "number_sign": "#", "plus": "+", "minus": "-",
        "equals_sign": "=", "exclamation_mark": "!",
    }  # fmt: skip
    *modifiers, name = key.split("+")
    shown = labels.get(name, name)
    return "".join(f"{'^' if modifier == 'ctrl' else modifier + '-'}" for modifier in modifiers) + shown


def _as_sent(key: str) -> str:
    """A key as it is shown, by the name that is sent."""
    if len(key) > 1 and key.startswith("^"):
        key = f"ctrl+{key[1:]}"
    before = _SHOWN_MODIFIERS.match(key)
    modifiers = before[0].replace("-", "+") if before is not None else ""
    name = key[len(modifiers) :]
    return modifiers + _SHOWN_NAMES.get(name, name)


def _sent(key: str) -> str:
    before, name = (key[:-1], key[-1:]) if len(key) == 1 or key[-2:-1] == "+" else (key, "")
    return before + (_character_to_key(name) if name and not name.isspace() else name)


def _together(scope: str) -> Sequence[Action]:
    together = [action for name in active_scopes(scope) for action in in_scope(name)]
    if scope == "field":
        together += [action for action in in_scope("app") if action.priority]
    return together
