"""Made-up secrets of the forms that vendors give theirs, drawn anew for every log; none is a real one.

Nothing here is written out whole: a scanner of this repository would take it for a leak.
"""

from __future__ import annotations

import base64
import json
import random
import string
from collections.abc import Callable
from dataclasses import dataclass

ALNUM = string.ascii_letters + string.digits
LOWER = string.ascii_lowercase + string.digits
HEX = "0123456789abcdef"
URL = ALNUM + "-_"

PREFIXED: dict[str, tuple[str, str, int]] = {
    "openai": ("sk-", ALNUM, 48),
    "openai_project": ("sk-proj-", URL, 120),
    "openai_admin": ("sk-admin-", URL, 74),
    "anthropic": ("sk-ant-api03-", URL, 93),
    "anthropic_oauth": ("sk-ant-oat01-", URL, 93),
    "google": ("AIza", URL, 35),
    "google_oauth": ("ya29.a0", URL, 90),
    "google_client": ("GOCSPX-", URL, 28),
    "huggingface": ("hf_", ALNUM, 34),
    "github_classic": ("ghp_", ALNUM, 36),
    "github_oauth": ("gho_", ALNUM, 36),
    "github_server": ("ghs_", ALNUM, 36),
    "github_fine": ("github_pat_", ALNUM, 82),
    "gitlab": ("glpat-", URL, 20),
    "slack_bot": ("xoxb-", string.digits, 12),
    "slack_app": ("xapp-1-", ALNUM, 60),
    "stripe": ("sk_live_", ALNUM, 24),
    "npm": ("npm_", ALNUM, 36),
    "pypi": ("pypi-AgEIcHlwaS5vcmc", URL, 100),
    "digitalocean": ("dop_v1_", HEX, 64),
    "databricks": ("dapi", HEX, 32),
    "groq": ("gsk_", ALNUM, 52),
    "xai": ("xai-", ALNUM, 80),
    "openrouter": ("sk-or-v1-", HEX, 64),
    "replicate": ("r8_", ALNUM, 37),
    "perplexity": ("pplx-", ALNUM, 48),
    "wandb_new": ("wandb_v1_", ALNUM, 60),
    "sendgrid": ("SG.", URL, 66),
    "shopify": ("shpat_", HEX, 32),
    "vault": ("hvs.", URL, 90),
    "docker_hub": ("dckr_pat_", URL, 27),
    "linear": ("lin_api_", ALNUM, 40),
    "notion": ("ntn_", ALNUM, 46),
    "pinecone": ("pcsk_", ALNUM, 70),
    "aws_id": ("AKIA", string.ascii_uppercase + "234567", 16),
    "aws_session_id": ("ASIA", string.ascii_uppercase + "234567", 16),
}
"""Kind to prefix, alphabet and length of the rest."""

NAMED: dict[str, tuple[str, str, int]] = {
    "aws_secret": ("AWS_SECRET_ACCESS_KEY", ALNUM + "/+", 40),
    "azure_key": ("AZURE_OPENAI_API_KEY", HEX, 32),
    "mistral_key": ("MISTRAL_API_KEY", ALNUM, 32),
    "wandb_key": ("WANDB_API_KEY", HEX, 40),
    "datadog_key": ("DD_API_KEY", HEX, 32),
    "heroku_key": ("HEROKU_API_KEY", HEX, 32),
    "generic_secret": ("CLIENT_SECRET", URL, 40),
    "password": ("DB_PASSWORD", ALNUM + "!#%", 18),
}
"""Kind to the variable that it is told by, alphabet and length: the value itself does not show what it is."""

NAME_STARTS = ("mar", "tko", "rlin", "jvan", "ahol", "kszy", "ebre", "nfuj", "oqui", "ystr", "dbau", "wzim")
NAME_ENDS = (
    "vacek",
    "dqvist",
    "oorn",
    "berg7",
    "zhang2",
    "tanaka",
    "essner",
    "malik3",
    "okafor",
    "lindh",
    "ruiz9",
)


@dataclass(frozen=True)
class Secret:
    """``text`` is the line that carries it; ``value`` must be gone, or any of ``pieces`` of it."""

    kind: str
    carrier: str
    text: str
    value: str
    pieces: tuple[str, ...]


def pieces_of(value: str, size: int = 14) -> tuple[str, ...]:
    """Stretches of a long secret, each of which would still tell it; a short one whole."""
    body = "".join(value.split())
    if len(body) < 2 * size:
        return (body,)
    return tuple(body[start : start + size] for start in range(len(body) % size, len(body) - size + 1, size))


class SecretDraw:
    """Secrets of one log."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(f"secrets {seed}")

    def word(self, alphabet: str, length: int) -> str:
        letters = [self.random.choice(alphabet) for _ in range(length)]
        letters[0], letters[-1] = self.random.choice(LOWER[:26]), self.random.choice(LOWER[:26])
        if alphabet == HEX:
            letters[0], letters[-1] = self.random.choice("abcdef"), self.random.choice("abcdef")
        if alphabet.isupper() or alphabet[:26].isupper():
            letters[0] = letters[-1] = "Q"
        return "".join(letters)

    def name(self) -> str:
        return (
            self.random.choice(NAME_STARTS) + self.random.choice(NAME_ENDS) + self.random.choice(LOWER[:26])
        )

    def host(self) -> str:
        kind = self.random.choice(("icu-ws", "res-node", "dlogin", "gpu-lab"))
        return f"{kind}{self.random.randrange(100, 999)}"

    def pem(self, label: str) -> str:
        body = "\n".join(self.word(ALNUM + "+/", 64) for _ in range(6))
        return f"-----BEGIN {label}-----\n{body}\n-----END {label}-----"

    def jwt(self) -> str:
        head = base64.urlsafe_b64encode(b'{"alg":"HS256","typ":"JWT"}').decode().rstrip("=")
        body = json.dumps({"sub": self.name(), "iat": 1772359200, "scope": "read"}).encode()
        return f"{head}.{base64.urlsafe_b64encode(body).decode().rstrip('=')}.{self.word(URL, 43)}"

    def prefixed(self, kind: str) -> str:
        prefix, alphabet, length = PREFIXED[kind]
        rest = self.word(alphabet, length) if alphabet != string.digits else ""
        if kind == "slack_bot":
            numbers = "".join(self.random.choice(string.digits) for _ in range(24))
            rest = f"{numbers[:12]}-{numbers[12:]}-{self.word(ALNUM, 24)}"
        if kind == "sendgrid":
            rest = rest[:22] + "." + rest[23:]
        return prefix + rest


def _presigned_s3(draw: SecretDraw) -> tuple[str, str]:
    signature = draw.word(HEX, 64)
    return signature, (
        "https://icu-data.s3.eu-central-1.amazonaws.com/labs.parquet?X-Amz-Algorithm=AWS4-HMAC-SHA256"
        f"&X-Amz-Credential={draw.prefixed('aws_id')}%2F20260302%2Feu-central-1%2Fs3%2Faws4_request"
        f"&X-Amz-Date=20260302T110405Z&X-Amz-Expires=3600&X-Amz-SignedHeaders=host&X-Amz-Signature={signature}"
    )


def _presigned_gcs(draw: SecretDraw) -> tuple[str, str]:
    signature = draw.word(HEX, 128)
    return signature, (
        "https://storage.googleapis.com/icu-data/labs.parquet?X-Goog-Algorithm=GOOG4-RSA-SHA256"
        f"&X-Goog-Expires=900&X-Goog-SignedHeaders=host&X-Goog-Signature={signature}"
    )


def _azure_sas(draw: SecretDraw) -> tuple[str, str]:
    signature = draw.word(ALNUM, 42)
    return (
        signature,
        f"https://icudata.blob.core.windows.net/c/labs.parquet?sv=2024-11-04&sp=r&sig={signature}%3D",
    )


def _signed_cloudfront(draw: SecretDraw) -> tuple[str, str]:
    signature = draw.word(ALNUM + "~-", 170)
    return (
        signature,
        f"https://d1x.cloudfront.net/a.zip?Expires=1772359200&Signature={signature}&Key-Pair-Id=K2JC",
    )


def _slack_hook(draw: SecretDraw) -> tuple[str, str]:
    word = draw.word(ALNUM, 24)
    return word, f"https://hooks.slack.com/services/T0{draw.word(ALNUM, 8).upper()}/B0ABCDEFG/{word}"


def _discord_hook(draw: SecretDraw) -> tuple[str, str]:
    word = draw.word(URL, 68)
    return word, f"https://discord.com/api/webhooks/1180000000000000001/{word}"


def _telegram(draw: SecretDraw) -> tuple[str, str]:
    word = draw.word(URL, 35)
    return word, f"curl https://api.telegram.org/bot7000000001:{word}/getMe"


def _database_url(draw: SecretDraw) -> tuple[str, str]:
    word = draw.word(ALNUM, 16)
    return word, f"DATABASE_URL=postgresql://icu_reader:{word}@db.internal:5432/mimic"


def _basic_url(draw: SecretDraw) -> tuple[str, str]:
    word = draw.word(ALNUM, 20)
    return word, f"git clone https://oauth2:{word}@git.example.org/icu/derive.git"


def _basic_header(draw: SecretDraw) -> tuple[str, str]:
    word = base64.b64encode(f"{draw.name()}:{draw.word(ALNUM, 20)}".encode()).decode().rstrip("=")
    return word, f"curl -H 'Authorization: Basic {word}=' http://localhost:9200/_cat"


def _bearer(draw: SecretDraw) -> tuple[str, str]:
    word = draw.word(URL, 64)
    return word, f'curl -H "Authorization: Bearer {word}" http://localhost:8000/v1/models'


def _netrc(draw: SecretDraw) -> tuple[str, str]:
    word = draw.word(ALNUM, 18)
    return word, f"machine physionet.org login reader password {word}"


def _docker_auth(draw: SecretDraw) -> tuple[str, str]:
    word = base64.b64encode(f"{draw.name()}:{draw.word(ALNUM, 24)}".encode()).decode()
    return word, json.dumps({"auths": {"registry.example.org": {"auth": word}}})


def _cookie(draw: SecretDraw) -> tuple[str, str]:
    word = draw.word(URL, 48)
    return word, f"Set-Cookie: sessionid={word}; HttpOnly; Path=/"


def _account_key(draw: SecretDraw) -> tuple[str, str]:
    word = draw.word(ALNUM + "+/", 86)
    return (
        word,
        f"DefaultEndpointsProtocol=https;AccountName=icudata;AccountKey={word}==;EndpointSuffix=core.windows.net",
    )


def _password_option(draw: SecretDraw) -> tuple[str, str]:
    word = draw.word(ALNUM, 16)
    return word, f"PGPASSWORD={word} psql -h localhost -U reader mimic -c 'SELECT 1'"


def _aws_pair(draw: SecretDraw) -> tuple[str, str]:
    word = draw.word(ALNUM + "/+", 40)
    return word, f"[default]\naws_access_key_id = {draw.prefixed('aws_id')}\naws_secret_access_key = {word}"


SHAPED: dict[str, Callable[[SecretDraw], tuple[str, str]]] = {
    function.__name__.lstrip("_"): function
    for function in (
        _presigned_s3, _presigned_gcs, _azure_sas, _signed_cloudfront, _slack_hook, _discord_hook, _telegram,
        _database_url, _basic_url, _basic_header, _bearer, _netrc, _docker_auth, _cookie, _account_key,
        _password_option, _aws_pair,
    )
}  # fmt: skip
"""Kind to a function that gives the secret and the line around it."""
PEM_LABELS = (
    "RSA PRIVATE KEY", "EC PRIVATE KEY", "OPENSSH PRIVATE KEY", "PRIVATE KEY", "ENCRYPTED PRIVATE KEY",
    "PGP PRIVATE KEY BLOCK",
)  # fmt: skip
ENV_NAMES = {
    "openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY", "google": "GEMINI_API_KEY",
    "huggingface": "HF_TOKEN", "github_classic": "GITHUB_TOKEN", "slack_bot": "SLACK_BOT_TOKEN",
}  # fmt: skip
LINES = (
    "export {name}={value}",
    "{name}={value}",
    'os.environ["{name}"] = "{value}"',
    'client = Client(api_key="{value}")',
    "curl -s https://api.example.org/v1/models -H 'x-api-key: {value}'",
    "401 Unauthorized: the key {value} was not accepted",
    '{{"{name}": "{value}"}}',
    "I will use {value} for the request.",
    "declare -x {name}='{value}'",
    "    {name}: {value}",
)


def secret_lines(seed: int) -> list[Secret]:
    """Every kind of secret once, each in a line of its own."""
    draw = SecretDraw(seed)
    found = []
    for turn, kind in enumerate(PREFIXED):
        value = draw.prefixed(kind)
        name = ENV_NAMES.get(kind, kind.upper() + "_TOKEN")
        text = LINES[(turn + seed) % len(LINES)].format(name=name, value=value)
        rest = value[len(PREFIXED[kind][0]) :]
        found.append(Secret("secret", kind, text, value, pieces_of(rest)))
    for turn, (kind, (name, alphabet, length)) in enumerate(NAMED.items()):
        value = draw.word(alphabet, length)
        text = LINES[(0, 1, 2, 6, 8, 9)[(turn + seed) % 6]].format(name=name, value=value)
        found.append(Secret("secret", kind, text, value, pieces_of(value)))
    for kind, make in SHAPED.items():
        value, text = make(draw)
        found.append(Secret("secret", kind, text, value, pieces_of(value)))
    for label in PEM_LABELS:
        text = draw.pem(label)
        lines = text.splitlines()[1:-1]
        found.append(Secret("secret", "pem", text, "".join(lines), tuple(line[8:40] for line in lines)))
    token = draw.jwt()
    parts = token.split(".")
    found.append(
        Secret(
            "secret", "jwt", f"Cookie: session={token}", token, (*pieces_of(parts[1]), *pieces_of(parts[2]))
        )
    )
    return found


PERSONS: dict[str, str] = {
    "home_linux": "/home/{name}/projects/icu/derive.sql",
    "home_mac": "/Users/{name}/Documents/mimic/out.csv",
    "home_windows": "C:\\Users\\{name}\\mimic\\out.csv",
    "home_wsl": "/mnt/c/Users/{name}/mimic/out.csv",
    "home_cluster": "/cluster/home/{name}/mimic.duckdb",
    "home_tilde": "scp derive.sql login:~{name}/inbox/",
    "home_in_slug": "~/.claude/projects/-home-{name}-projects-icu/session.jsonl",
    "prompt": "{name}@{host}:/workspace$ ls",
    "env_user": "USER={name}\nLOGNAME={name}\nHOSTNAME={host}\nSHELL=/bin/bash",
    "uname": "Linux {host} 6.8.0-45-generic #45-Ubuntu SMP x86_64 GNU/Linux",
    "ls_owner": "-rw-r----- 1 {name} {name} 10626 Mar  2 11:04 mimic.duckdb",
    "ps_line": "{name}     4121  0.3  1.2 812345 99120 pts/0 Sl+ 11:04 0:01 python derive.py",
    "passwd_line": "{name}:x:1001:1001:,,,:/home/{name}:/bin/bash",
    "ssh_login": "ssh {name}@{host}.clinic.example 'nvidia-smi'",
    "git_author": "Author: {name} <{name}@clinic.example>",
    "git_config": "git config user.email {name}@clinic.example",
    "mail": "Please write to {name}.research@hospital.example when it is done.",
    "mail_plus": '{{"contact": "{name}+icu@mail.example"}}',
    "mail_link": "[contact](mailto:{name}@uni.example)",
    "remote": "origin  git@{host}.clinic.example:{name}/icu.git (fetch)",
    "cron": "From {name}@{host} Mon Mar  2 11:04:05 2026",
}
"""Carrier to a line with the name of a person, of a machine, or both."""


def person_lines(seed: int) -> list[Secret]:
    """Home folders, user names, host names and e-mail addresses, each with a person of its own."""
    draw = SecretDraw(seed + 1_000_000)
    found = []
    taken: set[str] = set()
    for carrier, line in PERSONS.items():
        name, host = draw.name(), draw.host()
        while name in taken or host in taken:
            name, host = draw.name(), draw.host()
        taken |= {name, host}
        kind = (
            "e-mail"
            if carrier.startswith(("mail", "git"))
            else "home"
            if carrier.startswith("home")
            else "name"
        )
        text = line.format(name=name, host=host)
        if "{name}" in line:
            found.append(Secret(kind, carrier, text, name, (name,)))
        if "{host}" in line:
            found.append(Secret("host", carrier, text, host, (host,)))
    return found
