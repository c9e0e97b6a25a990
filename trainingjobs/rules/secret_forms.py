"""What a value is by the name that it goes under, or by its form: whether that makes it a secret.

The bounds are chosen so that digests, commits, UUIDs, addresses, image names and encoded text pass under any name that
does not call them a secret.
"""

from __future__ import annotations

import base64
import binascii
import math
import re
from collections import Counter

# Every pattern has a bound: a hostile argument must not hold a check up.
KNOWN = {
    "a private key": re.compile(r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY|\bAGE-SECRET-KEY-1[A-Z0-9]{20}"),
    "an AWS key": re.compile(r"\b(AKIA|ASIA)[0-9A-Z]{16}"),
    "an Azure key": re.compile(r"\b(Account|SharedAccess)Key=[\w+/]{20}"),
    "a GitHub token": re.compile(r"\b(gh[pousr]_[A-Za-z0-9]{36}|github_pat_\w{22})"),
    "a GitLab token": re.compile(r"\bglpat-[\w-]{20}"),
    "a Slack token": re.compile(r"\b(xox[abeoprs]|xapp)-[\w-]{10}"),
    "a Google API key": re.compile(r"\bAIza[\w-]{35}"),
    "a Google OAuth token or secret": re.compile(r"\b(ya29\.[\w-]{20}|GOCSPX-[\w-]{20})"),
    "a Hugging Face token": re.compile(r"\bhf_[A-Za-z0-9]{30}"),
    "an API key": re.compile(
        r"\b(sk-(?=[\w-]{0,40}[0-9])(?=[\w-]{0,40}[A-Z])[\w-]{20}|[sr]k_live_\w{16}|nvapi-[\w-]{20}|gsk_[A-Za-z0-9]{40}"
        r"|r8_[A-Za-z0-9]{37}|dapi[0-9a-f]{32}|SG\.[\w-]{22}\.[\w-]{20}|hvs\.[\w-]{24}|dckr_pat_[\w-]{20})"
    ),
    "a bearer token": re.compile(r"\bauthorization: {0,4}(bearer|basic) {1,4}[\w.~+/-]{8}", re.IGNORECASE),
    "a package index token": re.compile(r"\b(npm_[A-Za-z0-9]{36}|pypi-[\w-]{50})"),
    "a JSON web token": re.compile(r"\beyJ[\w-]{10,300}\.eyJ"),
    "a password in an address": re.compile(r"\b[a-z][a-z0-9+.-]{1,20}://[^\s/:@]{0,64}:[^\s/@$<{]{1,200}@"),
}
# A second, a later or a further one: API_TOKEN_V2.
NUMBERED = r"(_?V?[0-9]{1,4})?$"
WORDS = r"(PASSWORD|PASSWD|PASSPHRASE|PASSCODE|SECRET|CREDENTIAL|PRIVATE_?KEY|API_?KEY|ACCESS_?KEY|AUTH_?KEY)"
# A key is a column or a field as often as a secret: those of services that give keys out are secrets.
KEYS = (
    r"(WANDB|OPENAI|ANTHROPIC|HF|HUGGING_?FACE|COMET|NEPTUNE|CLEARML|MLFLOW|KAGGLE|NGC|NVIDIA|AWS|AZURE|GCP|S3|MINIO"
    r"|STRIPE|SENDGRID|DATADOG|DD|GITHUB|GITLAB|SLACK|REDIS|MONGO|SNOWFLAKE|DATABRICKS|ENCRYPTION|SIGNING|MASTER|SSH"
    r"|DEPLOY|ADMIN|ACCOUNT|LICENSE)_?KEY"
)
TOKENS = r"(^|_)(API|AUTH|ACCESS|REFRESH|BEARER|SESSION|HF|HUB|GITHUB|GITLAB|SLACK|BOT|WANDB|NPM|PYPI)_TOKEN(_|$)"
SECRET_NAME = re.compile(
    rf"{WORDS}|(^|_)(TOKEN|PASS|CREDS|JWT){NUMBERED}|_PWD{NUMBERED}|(^|_){KEYS}{NUMBERED}|{TOKENS}"
    rf"|(PG|DB|SQL|REDIS|USER|SMTP|FTP|MAIL|ADMIN|ROOT|VNC)PASS{NUMBERED}"
)
# Names of where a secret is, or of which one: not the secret.
PLACE_NAME = re.compile(
    r"_(FILE|PATH|DIR|NAME|ID|VERSION|URI|URL|RESOURCE|REF|PROJECT|MANAGER|LENGTH|TTL|COLUMN|COL|FIELD|HEADER|LABEL"
    r"|ENV|VAR|PROVIDER|STORE|BACKEND|MOUNT|VOLUME|POLICY|REGEX|PATTERN|TYPE|TIMEOUT|COUNT|SIZE|INDEX)S?$"
)
# Tokens of a vocabulary, which every language model is told, and passes over data.
VOCABULARY = re.compile(
    r"(^|_)(PAD|EOS|BOS|SOS|EOT|UNK|MASK|SEP|CLS|START|END|BEGIN|STOP|SPECIAL|MAX|MIN|NUM|PER|IMAGE|VIDEO|AUDIO|TEXT|NEW"
    r"|PLACEHOLDER|QUERY|INITIALIZER|INIT|CLASS|INSTANCE|CONCEPT|MODIFIER|TRIGGER|PROMPT|PREFIX|SUFFIX|DELIMITER"
    r"|SEPARATOR|IGNORE|BLANK|LANG|LANGUAGE|TASK|NEXT|LAST|FIRST|THINK|REGISTER|DISTILL|GLOBAL)_TOKEN$"
    r"|(^|_)(FIRST|SECOND|SINGLE|ONE|TWO|MULTI|FORWARD|BACKWARD|NUM|PER|EVAL|DATA|LAST|MAX|MIN|LOW|HIGH|BAND)_?PASS$"
)
REFERENCE = re.compile(r"(projects/[^/\s]+/secrets/[^/\s]+(/versions/[^/\s]+)?|\$\(\w+\)|\$\{?\w+\}?)$")
# What a shell puts in at run time; the options inside it name secrets and hold none.
SUBSTITUTED = re.compile(r"\$\([^()]{1,2000}\)|`[^`]{1,2000}`")
SETTING = re.compile(r"(true|false|none|null|yes|no|on|off|[0-9]{1,3})?$", re.IGNORECASE)
PATH = re.compile(r"(/[\w.-]+){2,}$|/[\w-]+\.\w+$|gs://\S+$")
# A word of a vocabulary, or what the reader is to put in: <cat-toy>, [MASK], <your token>.
BRACKETED = re.compile(r"<[^<>]{0,80}(>$|$)|\[[A-Z_]{1,40}\]$")
# NAME=value, --name=value and --name value in one word, as in `bash -c`.
ASSIGNED = re.compile(
    r"(?<![\w-])(?:--?([A-Za-z][\w-]{1,60})(?:=|\s{1,4})|([A-Za-z][\w-]{1,60})=)"
    r"(\"[^\"]{0,2000}\"|'[^']{0,2000}'|[^\s\"';&|]{1,2000})"
)
# What a machine made up: one word, with a run of letters of both cases and digits that changes all the time.
KEY = re.compile(r"[A-Za-z0-9_.:+][A-Za-z0-9_.:+-]{19,160}={0,2}")
RUN = re.compile(r"[A-Za-z0-9+]{20,120}")
HEX = re.compile(r"([0-9a-f-]+|[0-9A-F-]+)$")
LEAST_BITS, LEAST_CHANGES, LEAST_IN_ONE_CASE = 3.5, 0.38, 28
# Names of what is made up by a machine and is no secret, and the beginnings of public keys and of gzip.
PUBLIC_NAME = re.compile(
    r"(ID|HASH|DIGEST|CHECKSUM|SHA[0-9]*|MD5|COMMIT|REVISION|TAG|UUID|SEED|ETAG|FINGERPRINT|BASE64|B64|ENCODED|CONFIG"
    r"|PUBLIC_?KEY|CERT|CERTIFICATE|CA|BUNDLE|IMAGE|MODEL|CHECKPOINT|DATASET|RUN|TRIAL|EXPERIMENT|CURSOR|NONCE)S?$"
)
PUBLIC_VALUE = re.compile(r"AAAA|H4sI")


def folded(name: str) -> str:
    """Returns a name as the patterns have it: hfToken, hf-token and HF_TOKEN are HF_TOKEN."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).upper().replace("-", "_").replace(".", "_")


def named_secret(name: str, value: str) -> str | None:
    """Returns what a value is by the name that it goes under, None where that says no secret."""
    word = folded(name)
    if not SECRET_NAME.search(word) or PLACE_NAME.search(word) or VOCABULARY.search(word):
        return None
    text = value.strip()
    is_none = SETTING.fullmatch(text) or REFERENCE.match(text) or PATH.match(text) or BRACKETED.match(text)
    return None if is_none or text.startswith("-") else "what its name calls a secret"


def known_secret(value: str) -> str | None:
    """Returns what a value is by its form, None where it is nothing that is known."""
    return next((secret_kind for secret_kind, pattern in KNOWN.items() if pattern.search(value)), None)


def random_secret(name: str, value: str) -> str | None:
    """Returns that a value looks like a key that a machine made up; `name` is what it goes under, "" for nothing."""
    text = value.strip()
    word = folded(name)
    if not KEY.fullmatch(text) or PUBLIC_NAME.search(word) or PLACE_NAME.search(word) or _is_encoded_text(text):
        return None
    runs = (run for run in RUN.findall(text) if not HEX.match(run) and not PUBLIC_VALUE.match(run))
    return "what looks like a key" if any(map(_is_random, runs)) else None


def _is_random(run: str) -> bool:
    kinds = ["d" if c.isdigit() else "u" if c.isupper() else "l" if c.islower() else "s" for c in run]
    upper, lower, digits = (kinds.count(kind) for kind in "uld")
    in_one_case = digits >= 5 and not (upper and lower) and len(run) >= LEAST_IN_ONE_CASE
    if min(upper, lower, digits) < 2 and not in_one_case:
        return False
    changes = sum(kind != before for kind, before in zip(kinds[1:], kinds, strict=False)) / len(run)
    bits = -sum(count / len(run) * math.log2(count / len(run)) for count in Counter(run).values())
    return changes >= LEAST_CHANGES and bits >= LEAST_BITS


def _is_encoded_text(text: str) -> bool:
    """Base64 of text is text to whoever reads it, and hardly ever a key: those decode to noise."""
    try:
        decoded = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        return decoded.decode().isprintable()
    except (binascii.Error, ValueError):
        return False
