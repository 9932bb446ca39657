"""What git says when it fails, as an error that tells a person what to do next."""

from __future__ import annotations

import re

from workbench.records import BadInput, Refused, Unavailable, WorkbenchError

_MOST_CHARACTERS = 600

_MEANINGS: tuple[tuple[str, type[WorkbenchError], str, str], ...] = (
    (
        r"dubious ownership",
        Refused,
        "the repository belongs to another user",
        "Work in a clone of your own; only if you trust its owner, `git config --global --add safe.directory "
        "<folder>` yourself (its hooks run as you).",
    ),
    (
        r"Unable to create '[^']*\.lock': File exists|cannot lock ref .*: Unable to create",
        Refused,
        "another git process holds a lock of the repository",
        "Wait until it is done and try again. If no git process runs, it is left from one that was killed: "
        "remove that .lock file.",
    ),
    (
        r"cannot lock ref .*(but expected|reference already exists|unable to resolve reference)",
        Refused,
        "the branch was moved by somebody else meanwhile; nothing was committed",
        "Look at the new versions (workbench skill log) and try again.",
    ),
    (
        r"tell me who you are|auto-detect email|no email was given|empty ident name|no name was given",
        BadInput,
        "git does not know who you are",
        "git config --global user.name 'Your Name'; git config --global user.email you@example.org",
    ),
    (
        r"failed to sign|signing failed|failed to write commit object",
        Refused,
        "the commit could not be signed, as your git configuration asks; nothing was committed",
        "Unlock the key (gpg or ssh agent) and try again; `git config commit.gpgsign` and "
        "`user.signingkey` say what is asked.",
    ),
    (
        r"not uptodate\. Cannot merge|would be overwritten|would be removed|not up-to-date",
        Refused,
        "files with changes that are not committed would be written over; nothing was changed",
        "Save or stash those changes first (git status shows them).",
    ),
    (
        r"could not read (Username|Password)|terminal prompts disabled|Authentication failed|"
        r"Permission denied \(|Host key verification failed",
        Unavailable,
        "the remote asks for a login",
        "Set up a key, an agent or a credential helper for git; nothing asks for passwords here.",
    ),
    (
        r"Could not resolve host|unable to access|Could not read from remote|"
        r"does not appear to be a git repo|Connection (refused|timed out)",
        Unavailable,
        "the remote cannot be reached",
        "Check its address (git remote -v) and the network.",
    ),
    (
        r"No space left on device|Disk quota exceeded",
        Unavailable,
        "the disk is full",
        "Free some space; what you wrote is still in its file.",
    ),
    (
        r"Permission denied|insufficient permission|Read-only file system",
        Unavailable,
        "the repository cannot be written",
        "Correct the permissions of the folder .git and try again.",
    ),
    (
        r"not a git repository|must be run in a work tree",
        BadInput,
        "is in no git work tree",
        "Work in a clone (git clone), or make the folder one (git init).",
    ),
    (
        r"is not a git command|unknown (option|switch)|usage: git",
        Unavailable,
        "the installed git is too old for this",
        "Install git 2.38 or newer.",
    ),
    (
        r"object file .* is empty|loose object .* is corrupt|bad object|missing (blob|tree|commit)|"
        r"unable to read",
        Unavailable,
        "the repository lacks something that is needed, or is damaged",
        "In a shallow or partial clone: git fetch --unshallow. Else `git fsck` says what is wrong.",
    ),
)


def error_of(command: str, said: str, where: str) -> WorkbenchError:
    """The error for what git said on standard error; git's own first words go with it."""
    lines = [line for line in said.splitlines() if line.strip() and not line.startswith("hint:")]
    first = next((line for line in lines if line.startswith(("fatal:", "error:"))), lines[0] if lines else "")
    told = first[:_MOST_CHARACTERS]
    for pattern, kind, what, remedy in _MEANINGS:
        if re.search(pattern, said):
            return kind(f"{what} (git {command}: {told})", where=where, remedy=remedy)
    return WorkbenchError(
        f"git {command} did not work: {told or 'it said nothing'}",
        where=where,
        remedy="Nothing is lost: what you wrote is in its file. `git status` shows where things stand.",
    )
