"""Authors, messages and names of proposals, checked before git sees them."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from workbench.catalog import nfc
from workbench.patterns import visible
from workbench.records import BadInput
from workbench.review.git_command import Git

_AUTHOR = re.compile(r"(?P<name>[^<>\n]+?)\s*<(?P<email>[^<>\s]+@[^<>\s]+)>")
_PROPOSAL = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_MOST_MESSAGE = 20_000
_MOST_NAME = 200
PROPOSALS = "proposal"
"""First part of the names of proposals' branches."""


@dataclass(frozen=True)
class Author:
    """A name and an e-mail address as they go into a commit."""

    name: str
    email: str

    def variables(self) -> dict[str, str]:
        """For git's environment."""
        return {"GIT_AUTHOR_NAME": self.name, "GIT_AUTHOR_EMAIL": self.email}

    def __str__(self) -> str:
        return f"{self.name} <{self.email}>"


def parse_author(text: str) -> Author:
    """``Name <address>``. Raises BadInput for anything else and for characters that are not seen."""
    found = _AUTHOR.fullmatch(nfc(text).strip())
    if found is None or visible(text) != text or len(text) > _MOST_NAME or {"\t", "\n"} & set(text.strip()):
        raise BadInput(f"the author is not of the form 'Name <address>': {text[:_MOST_NAME]!r}",
                       remedy="As --author 'Ada Lovelace <ada@example.org>', on one line.")  # fmt: skip
    if not any(unicodedata.category(character)[0] in "LN" for character in found["name"]):
        raise BadInput(
            "the author's name has no letter", remedy="Write a name, or the reviewer's identifier."
        )
    return Author(found["name"].strip(), found["email"])


def require_identity(git: Git) -> None:
    """Raises BadInput where git knows no committer."""
    git.run("var", "GIT_COMMITTER_IDENT")


def checked_message(text: str) -> str:
    """The message as it is committed: NFC, no blanks at line ends, one line feed at the end.

    Raises BadInput for none, one too long, and one with characters that a terminal acts on or that hide.
    """
    lines = [line.rstrip() for line in nfc(text).replace("\r\n", "\n").strip().split("\n")]
    message = "\n".join(lines)
    if not message:
        raise BadInput("the message is empty", remedy="Say in one line what is changed and why (-m).")
    if visible(message) != message:
        raise BadInput("the message holds control or hidden characters", remedy="Write it in plain text.")
    if len(message) > _MOST_MESSAGE:
        raise BadInput(f"the message has more than {_MOST_MESSAGE} characters", remedy="Say less.")
    return message + "\n"


def proposal_branch(skill: str, name: str) -> str:
    """The branch of a proposal. Raises BadInput for a name that none can have."""
    if not _PROPOSAL.fullmatch(name) or len(name) > 64:
        raise BadInput(
            f"{name[:80]!r} cannot name a proposal",
            remedy="Use lower-case letters, digits and single hyphens.",
        )
    return f"{PROPOSALS}/{skill}/{name}"
