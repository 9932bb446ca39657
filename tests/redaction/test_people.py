"""Names of persons and machines: told by their place, and not those of accounts that every machine has."""

from __future__ import annotations

import pytest

from workbench.redaction.people import KnownNames, names_told
from workbench.redaction.release_names import homes_in
from workbench.redaction.release_names import names_told as names_checked

PASSWD = """root:x:0:0:root:/root:/bin/bash
sync:x:4:65534:sync:/bin:/bin/sync
games:x:5:60:games:/usr/games:/usr/sbin/nologin
list:x:38:38:Mailing List Manager:/var/list:/usr/sbin/nologin
backup:x:34:34:backup:/var/backups:/usr/sbin/nologin
mokafor:x:1001:1001:,,,:/home/mokafor:/bin/bash"""
LISTING = (
    "-rw-r--r-- 1 mokafor staff 10626 Mar  2 11:04 a.duckdb\ndrwxr-xr-x 2 root video 4096 Mar  2 11:04 b"
)


@pytest.mark.parametrize("text", [PASSWD, LISTING])
def test_accounts_of_every_machine_are_no_names(text: str) -> None:
    known = KnownNames()
    known.add(names_told(text))
    said = "mokafor as root will list the backup, sync it, and see games, staff and video"
    assert [(found.start, found.value) for found in known.found_in(said)] == [(0, "mokafor")]


def test_what_a_kernel_says_of_itself_is_no_machine() -> None:
    assert {name for name, _ in names_told("Linux version 6.8.0 (gcc)\nLinux ward-ws4 6.8.0 #45 x86_64")} == {
        "ward-ws4"
    }
    assert names_checked("Linux version 6.8.0 (gcc)\nLinux ward-ws4 6.8.0 #45 x86_64") == {"ward-ws4"}


@pytest.mark.parametrize(
    "text",
    [
        "`/home/mokafor`",
        "/home/mokafor, ok",
        "</home/mokafor>",
        "/home/mokafor!",
        "/Users/mokafor’s",
        "/home/mokafor",
    ],
)
def test_a_home_folder_ends_where_its_name_does(text: str) -> None:
    assert {name for name, _ in names_told(text)} == names_checked(text) == {"mokafor"}
    assert homes_in(text) and not homes_in(text.replace("mokafor", "ubuntu"))
