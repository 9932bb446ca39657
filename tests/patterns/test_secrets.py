"""Secrets by shape, and what only looks like one."""

from __future__ import annotations

import pytest

from workbench.patterns import find_secrets, mask

SECRETS = [
    ("openai key", "OPENAI_API_KEY=sk-proj-4fT9Lm2Qx7Vb1Nz8Rc5Wd3Kj"),
    ("anthropic key", "sk-ant-api03-4fT9Lm2Qx7Vb1Nz8Rc5Wd3Kj"),
    ("google key", "AIzaSyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q"),
    ("aws access key", "AKIAIOSFODNN7QWERTYU"),
    ("github token", "ghp_4fT9Lm2Qx7Vb1Nz8Rc5Wd3Kj4fT9Lm2Qx7Vb"),
    ("hugging face token", "hf_4fT9Lm2Qx7Vb1Nz8Rc5Wd3Kj4fT9Lm2Q"),
    ("slack token", "xoxb-123456789012-abcdefABCDEF"),
    ("private key", "-----BEGIN OPENSSH PRIVATE KEY-----"),
    ("json web token", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dBjftJeZ4CVPmB92K27uhbUJU1p1r"),
    ("authorization header", "curl -H 'Authorization: Bearer abcdef1234567890ABCDEF'"),
    ("password in an address", "postgres://user:passw0rd99@host/db"),
    ("named secret", "api_key = 'q8Zr4kP2xW7nL5vB9tY1'"),
]


@pytest.mark.parametrize(("kind", "text"), SECRETS)
def test_found_and_masked(kind: str, text: str) -> None:
    found = find_secrets(f"first line\n{text}\n")
    assert [(item.kind, item.line) for item in found] == [(kind, 2)]
    value = f"first line\n{text}\n"[found[0].start : found[0].end]
    assert value in text
    assert value not in found[0].masked


@pytest.mark.parametrize(
    "text",
    [
        "task-force-something-very-long-hyphenated-1",
        "sk-learn-is-a-library-with-a-long-name",
        "token: 1234567890123456789",
        "input_tokens=12345678901234567890",
        "api_key=os.environ['WORKBENCH_KEY_2']",
        "api_key: <your-key-goes-here-1234>",
        "secret = mimiciv_derived.suspicion_of_infection",
        "password=hunter2",
        "token=${TOKEN_FROM_ENV_123456}",
        "https://example.org/a:b@c",
        "hadm_id 20000019, stay_id 30000153, key 2180-07-23T12:00:00.000",
        "sha256 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "The key: antibiotic_starttime_within_72_hours",
        "AKIAIOSFODNN7EXAMPLE",
    ],
)
def test_not_accused(text: str) -> None:
    assert find_secrets(text) == []


def test_mask_keeps_short_ones_short() -> None:
    assert mask("abcdefghijkl") == "abc… (12 characters)"
    assert mask("ab") == "… (2 characters)"


@pytest.mark.parametrize("unit", ["bearer ", "key=", "://a:", "sk-", "eyJ", "a", "token "])
def test_long_text_is_bounded(unit: str) -> None:
    find_secrets(unit * (500_000 // len(unit)))
