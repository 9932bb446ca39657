"""What reaches for the network: programs, libraries, kinds of address, and what the network itself says."""

from __future__ import annotations

import re

ADDRESS = re.compile(
    r"\b(?:https?|ftps?|sftp|ssh|git|svn|s3a?|gs|gcs|azure|abfss?|az|hf|r2|wss?|rsync|smb|nfs|ldaps?|mqtts?|tcp|udp"
    r"|postgres(?:ql)?|mysql|mongodb(?:\+srv)?|rediss?|amqps?|jdbc:\w+|telnet|dict|gopher|irc|git\+https?|git\+ssh"
    r")://(?P<host>[^\s/'\"?#,;)]*)",
    re.IGNORECASE,
)
LOOPBACK = re.compile(
    r"(?:[^@]*@)?(?:localhost|127(?:\.\d+){3}|\[?::1\]?|0\.0\.0\.0|unix|)(?::\d+)?$", re.IGNORECASE
)
SHELL_SOCKET = re.compile(r"/dev/(?:tcp|udp)/(?P<host>[^/\s'\"]+)")

# Programs that do nothing but reach out, whatever their words are.
ONLY_REACH = {
    "aria2c", "axel", "wget2", "curlie", "httpie", "xh", "lftp", "tftp", "sftp", "ssh", "mosh",
    "autossh", "sshfs",
    "ssh-keyscan", "ssh-copy-id", "nc", "ncat", "netcat", "telnet", "ftp", "ping", "ping6", "fping",
    "arping", "dig",
    "drill", "kdig", "delv", "nslookup", "host", "whois", "traceroute", "traceroute6", "tracepath",
    "mtr", "nmap",
    "masscan", "resolvectl", "gnutls-cli", "swaks", "sendmail", "msmtp", "mutt", "mail", "mailx", "wscat",
    "websocat", "grpcurl", "smbclient", "showmount", "rpcinfo", "ldapsearch", "snmpwalk", "snmpget",
    "ntpdate",
    "iperf", "iperf3", "tor", "torsocks", "torify", "proxychains", "proxychains4", "sshpass", "gh",
    "hub", "glab",
    "aws", "gsutil", "gcloud", "bq", "azcopy", "s3cmd", "s5cmd", "rclone", "b2", "kaggle", "hf",
    "huggingface-cli", "gdown", "youtube-dl", "yt-dlp", "kubectl", "helm", "skopeo", "crane", "ngrok",
    "cloudflared",
    "bore", "wormhole", "croc", "openvpn", "wg-quick", "dhclient", "lynx", "w3m", "links", "links2", "elinks",
    "chromium", "chromium-browser", "google-chrome", "firefox", "playwright", "xdg-open", "sensible-browser",
    "hget", "snarf", "puf", "saldl", "siege", "wrk", "vegeta", "ab", "redis-cli", "mongosh", "mongo",
    "clickhouse-client", "sqlcmd", "cpan", "cpanm", "easy_install", "uvx", "bunx", "npx", "snap", "flatpak",
    "brew", "steampipe", "websocketd", "syncthing", "svn", "cvs", "bzr", "hurl", "nmcli", "iwlist",
    "ztcp", "magic-wormhole", "transfer", "mlflow", "dnsmasq",
}  # fmt: skip
# Programs that reach out when one of their words is among these (none named: with any word).
REACH_BY_WORD: dict[str, set[str]] = {
    "pip": {"install", "download", "index", "search", "wheel"},
    "uv": {"pip", "add", "sync", "tool", "run", "lock", "python"},
    "pipx": {"install", "run", "upgrade"},
    "poetry": {"add", "install", "update", "lock", "publish"},
    "pdm": {"add", "install", "sync", "update", "lock"},
    "rye": {"add", "sync", "fetch"},
    "hatch": {"env", "publish"},
    "npm": {"install", "i", "ci", "view", "add", "exec", "pack", "search", "audit", "update", "info"},
    "pnpm": {"add", "install", "i", "dlx", "update"},
    "yarn": {"add", "install", "dlx", "up"},
    "bun": {"add", "install", "i", "x", "update"},
    "corepack": {"enable", "prepare", "install"},
    "apt": {"install", "update", "download", "upgrade", "source"},
    "apt-get": {"install", "update", "download", "upgrade", "source", "dist-upgrade"},
    "aptitude": {"install", "update", "download", "search"},
    "apk": {"add", "update", "fetch", "upgrade"},
    "yum": {"install", "update", "search", "makecache"},
    "dnf": {"install", "update", "download", "search", "makecache"},
    "zypper": {"in", "install", "ref", "refresh", "up"},
    "pacman": {"-S", "-Sy", "-Syu", "-Ss"},
    "conda": {"install", "create", "search", "update"},
    "mamba": {"install", "create", "search", "update"},
    "micromamba": {"install", "create", "search", "update"},
    "nix-env": {"-i", "-iA", "--install", "-u"},
    "nix-shell": {"-p", "--packages"},
    "nix": {"run", "shell", "build", "develop"},
    "cargo": {"install", "add", "fetch", "update", "search"},
    "go": {"get", "install", "mod"},
    "gem": {"install", "fetch", "search", "update"},
    "bundle": {"install", "update", "add"},
    "composer": {"require", "install", "update", "create-project"},
    "luarocks": {"install", "search", "download"},
    "opam": {"install", "update"},
    "cabal": {"update", "install", "get"},
    "stack": {"install", "setup", "update"},
    "mvn": set(),
    "gradle": set(),
    "sbt": {"update", "compile", "run"},
    "git": {
        "clone", "fetch", "pull", "push", "ls-remote", "submodule", "remote-update", "archive--remote", "lfs",
        "request-pull", "send-email", "svn",
    },
    "hg": {"clone", "pull", "push", "incoming"},
    "docker": {"pull", "run", "push", "search", "login", "build", "compose"},
    "podman": {"pull", "run", "push", "search", "login", "build"},
    "buildah": {"pull", "from", "push"},
    "singularity": {"pull", "run", "build"},
    "apptainer": {"pull", "run", "build"},
    "az": {"storage", "login", "rest"},
    "mc": {"ls", "cp", "cat", "mirror", "alias"},
    "dvc": {"pull", "fetch", "push", "get", "import"},
    "wandb": {"sync", "login", "pull", "artifact"},
    "dolt": {"clone", "pull", "fetch"},
    "deno": {"run", "install", "add", "cache"},
    "getent": {"hosts", "ahosts", "ahostsv4", "ahostsv6"},
    "openssl": {"s_client", "s_time", "ocsp"},
    "logger": {"-n", "--server"},
    "scp": set(),
    "busybox": {"wget", "nc", "telnet", "ftpget", "ftpput", "nslookup", "ping", "tftp", "whois"},
    "toybox": {"wget", "nc", "telnet", "ftpget", "host", "ping", "netcat", "httpd"},
    "zsh": {"ztcp"},
}  # fmt: skip
BUSYBOXES = {"busybox", "toybox"}
NESTED_AGENTS = {
    "codex", "claude", "gemini", "aider", "opencode", "goose", "ollama", "cursor-agent", "qwen", "llm", "amp",
    "crush", "copilot", "sgpt", "mods", "aichat", "q",
}  # fmt: skip
SHOW_TEXT = {
    "echo", "printf", "cat", "tee", "grep", "egrep", "fgrep", "rg", "ag", "sed", "awk", "gawk", "mawk",
    "jq", "test", "[",
    "[[", "export", "set", ":", "true", "head", "tail", "wc", "sort", "uniq", "cut", "tr", "diff",
    "apply_patch",
    "python", "duckdb", "sqlite3", "declare", "local", "readonly", "for", "case", "ls", "find", "touch",
    "mkdir",
    "read", "base64", "sha256sum", "md5sum",
}  # fmt: skip
"""Programs whose words may hold an address without anything being reached."""
MODULES_RUN = {"pip", "uv", "webbrowser", "telnetlib", "ftplib", "smtplib", "http.client", "urllib.request",
               "ensurepip", "wget", "httpx", "gdown", "yt_dlp"}  # fmt: skip
"""``python -m``: modules that reach out."""

# Python libraries of which any call reaches out; ``_HARMLESS`` are calls that do not.
PYTHON_LIBRARIES = (
    "requests", "httpx", "aiohttp", "urllib.request", "urllib.robotparser", "urllib3", "http.client",
    "http.server",
    "httplib", "httplib2", "urllib2", "pycurl", "ftplib", "smtplib", "poplib", "imaplib", "nntplib",
    "telnetlib",
    "xmlrpc", "webbrowser", "socketserver", "socket", "ssl", "paramiko", "fabric", "asyncssh", "dns",
    "aiodns",
    "dnspython", "websocket", "websockets", "grpc", "zmq", "tornado", "twisted", "scapy", "scapy.all",
    "boto3", "botocore", "s3fs",
    "gcsfs", "adlfs", "minio", "google.cloud", "google.generativeai", "google.genai", "googleapiclient",
    "azure",
    "openai", "anthropic", "litellm", "cohere", "mistralai", "replicate", "ollama", "langchain",
    "huggingface_hub",
    "kagglehub", "kaggle", "datasets", "gdown", "wget", "pooch", "git", "dulwich", "github", "gitlab",
    "psycopg2",
    "psycopg", "asyncpg", "pymysql", "mysql", "MySQLdb", "redis", "pymongo", "cassandra",
    "elasticsearch", "pip", "pip._internal",
    "selenium", "playwright", "pyppeteer", "mechanize", "scrapy", "wikipedia", "wikipediaapi", "feedparser",
    "googlesearch", "duckduckgo_search", "ddgs", "tavily", "serpapi", "exa_py", "tldextract",
    "requests_html", "treq", "trio",
    "anyio", "niquests", "curl_cffi", "primp", "smbclient", "ldap3", "paho", "pika", "kafka", "stomp",
    "slack_sdk",
    "telegram", "tweepy", "Bio.Entrez", "ensurepip", "ibis.connect",
)  # fmt: skip
PYTHON_CALLS = (
    "asyncio.open_connection", "asyncio.open_unix_connection", "multiprocessing.connection.Client",
    "logging.handlers.HTTPHandler", "logging.handlers.SysLogHandler", "logging.handlers.SMTPHandler",
    "logging.handlers.SocketHandler", "logging.handlers.DatagramHandler", "torch.hub.load",
    "torch.hub.download_url_to_file", "nltk.download", "spacy.cli.download", "sklearn.datasets.fetch_openml",
    "tensorflow.keras.utils.get_file", "keras.utils.get_file", "statsmodels.api.datasets.get_rdataset",
    "seaborn.load_dataset", "pyarrow.fs.S3FileSystem", "pyarrow.fs.GcsFileSystem", "transformers.AutoModel",
    "fsspec.filesystem", "runpy.run_module", "distutils.core.run_setup",
)  # fmt: skip
PYTHON_METHODS = {
    ".create_connection", ".sock_connect", ".connect_ex", ".sendto", ".gethostbyname", ".getaddrinfo",
    ".urlopen",
    ".urlretrieve", ".connectTCP", ".get_rdataset", ".create_datagram_endpoint", ".start_tls",
}  # fmt: skip
PYTHON_HARMLESS = re.compile(
    r"^(?:socket\.(?:gethostname|socketpair|htons|htonl|ntohs|ntohl|inet_\w+|setdefaulttimeout|getdefaulttimeout"
    r"|if_nameindex)|ssl\.(?:get_default_verify_paths|create_default_context|SSLContext)"
    r"|(?:requests|httpx|urllib3|aiohttp)\.(?:\w+\.)*(?:\w*Error|\w*Exception|\w*Timeout|disable_warnings|Limits|Retry)"
    r"|requests\.(?:Session|adapters\.\w+)|httpx\.(?:Client|AsyncClient|Request|Headers)|aiohttp\.ClientSession"
    r"|urllib\.request\.(?:Request|build_opener|ProxyHandler|\w+Handler|install_opener|pathname2url|url2pathname)"
    r"|datasets\.(?:Dataset|Features|Value|DatasetDict)\b.*|azure\.|dns\.name\."
    r"|git\.Repo(?:\.init)?|mysql\.|pip\.__\w+|websocket\.enableTrace|urllib3\.PoolManager|trio\.(?:run|sleep)|anyio\.(?:run|sleep)"
    r"|langchain\.\w*prompt\w*|(?:asyncio|socket)\.timeout)$"
)
EXTENSIONS = (
    "httpfs", "aws", "azure", "postgres", "postgres_scanner", "mysql", "mysql_scanner", "motherduck",
    "iceberg",
    "delta", "ui", "cache_httpfs", "http_client", "shellfs", "gsheets", "uc_catalog", "quack",
)  # fmt: skip
EXTENSION_SQL = re.compile(
    rf"\b(?:LOAD|INSTALL|FORCE\s+INSTALL)\s+['\"]?(?P<a>\w+)['\"]?|\bTYPE\s+['\"]?(?P<b>{'|'.join(EXTENSIONS)})\b"
    r"|\b(?:ATTACH|ATTACH\s+IF\s+NOT\s+EXISTS)\s+'(?P<c>(?:md|motherduck|postgres|mysql|s3|https?):[^']*"
    r"|[^']{0,300}\bhost(?:addr)?\s*=[^']*)'"
    r"|\bCREATE\s+(?:OR\s+REPLACE\s+)?(?:PERSISTENT\s+)?SECRET\b(?P<d>)",
    re.IGNORECASE,
)
OTHER_LANGUAGES = re.compile(
    r"IO::Socket|LWP::|HTTP::Tiny|WWW::Mechanize|Net::(?:HTTP|FTP|SSH|DNS|SMTP|Ping)"
    r"|\buse Socket\b|open-uri|URI\.open"
    r"|Net::HTTP|net/http|TCPSocket|UDPSocket|fsockopen|stream_socket_client|curl_init|gethostbyname|dns_get_record"
    r"|download\.file|install\.packages|\burl\(\s*['\"]|socketConnection|\bfetch\(|XMLHttpRequest|https?\.(?:get|request)\("
    r"|net\.(?:connect|Socket|createConnection|Dial)|dns\.(?:lookup|resolve)"
    r"|require\(\s*['\"](?:node:)?(?:https?|net|dns|tls|axios|got|node-fetch|undici|dgram)['\"]"
    r"|from ['\"](?:node:)?(?:https?|net|dns|tls|axios|got|node-fetch|undici|dgram)['\"]"
    r"|http\.Get\(|http\.NewRequest"
    r"|/inet6?/(?:tcp|udp)/|luasocket|socket\.http|require.?\(?['\"]socket['\"]|getaddrinfo\(|HttpClient|HttpURLConnection"
    r"|java\.net\.|openStream\(\)|Downloads\.download|Pkg\.add|Invoke-WebRequest|Invoke-RestMethod|\biwr\b"
    r"|package require http|url-retrieve|reqwest|TcpStream|std::net|curl_easy"
    r"|#include\s*<(?:sys/socket|netdb|curl)"
)
INTERPRETERS = re.compile(
    r"(?:^|[\s;|&(/])(?:perl|ruby|node|nodejs|deno|bun|php|lua(?:jit)?|Rscript|R|julia|go|java|jshell|scala|kotlin|tclsh|pwsh"
    r"|powershell|emacs|vim?|nvim|gcc|cc|clang|tcc|g\+\+|rustc|cargo|swift|ghci?|runghc|ocaml|elixir|erl|racket|guile"
    r"|octave|[gmn]?awk|make|zsh)\s"
)
TOLD = re.compile(
    r"could not resolve (?:host|proxy)|temporary failure in name resolution|name or service not known"
    r"|nodename nor servname|no address associated with hostname|server can't find|network is unreachable"
    r"|no route to host|failed to connect to \S+ port|connect to (?:host"
    r"|address) \S+.{0,20}(?:port|refused|timed out)"
    r"|max retries exceeded|failed to establish a new connection|getaddrinfo (?:ENOTFOUND|EAI_AGAIN|failed)"
    r"|\bECONNREFUSED\b|\bENOTFOUND\b|urlopen error|ConnectTimeout|NameResolutionError|unable to access 'https?://"
    r"|unable to resolve host address|connection timed out after|no such host is known|dial tcp"
    r"|could not connect to server|no matching distribution found|lookup \S+ on \S+: "
    r"|failed to download extension|error resolving",
    re.IGNORECASE,
)
"""What resolvers and clients say when there is no way out."""
REPLIED = re.compile(
    r"^\s*(?:b['\"])?(?:< )?HTTP/[123](?:\.[01])? \d{3}\b|^(?:< )?(?:server|x-github-request-id"
    r"|cf-ray|x-served-by): \S"
    r"|^\s*<!doctype html>|^;; ANSWER SECTION|^Cloning into |^\d+ bytes from \S+: icmp_seq"
    r"|^SSL-Session:|^SSH-2\.0-|^220[ -]\S+ .*(?:FTP|SMTP)",
    re.IGNORECASE | re.MULTILINE,
)
"""What only a host outside says."""


def outside_host(text: str) -> str:
    """The host of the first address in a text that is not on loopback, or nothing."""
    for found in ADDRESS.finditer(text[:20_000]):
        host = found["host"]
        if host and not LOOPBACK.match(host):
            return host
    return ""


def is_loopback(text: str) -> bool:
    """Whether a text is a host, or begins with an address, on this machine."""
    found = ADDRESS.match(text.strip())
    return bool(LOOPBACK.match(found["host"] if found else text.strip()))
