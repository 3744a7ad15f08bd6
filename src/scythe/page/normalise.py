"""Write addresses in one way: an address as a page has it comes in, the one to ask for goes out.

Only what RFC 3986 (6.2.2, 6.2.3) calls equal is made equal: a strict server answers both alike. What may be folded
beyond that, to know a page again, is `identity`.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache
from importlib.resources import files
from unicodedata import normalize
from urllib.parse import SplitResult, urlsplit, urlunsplit

from scythe.limits import LIMITS
from scythe.url import Url

PORTS = {"http": 80, "https": 443}
# addresses that need no work: nine of ten
_PLAIN = re.compile(r"https?://[a-z0-9-]++(?:\.[a-z0-9-]++)*+/[!$&-;=@-Z\[\]_a-z~]*+(?:\?[!$&-;=?@-Z\[\]_a-z~]++)?+")
# addresses that a fold leaves as they are, and parts of others that need no closer look
_AS_FOLDED = re.compile(r"https://[a-z0-9-]++(?:\.[a-z0-9-]++)*+(?:/[0-9A-Z_a-z~-][!$&'*-.0-9:=@A-Z_a-z~]*+)++")
_FOLDED = re.compile(r"https?://[a-z0-9-]++(?:\.[a-z0-9-]++)*+/[!$&'*-.0-9/:=@A-Z_a-z~]*+")
_FOLDED_QUERY = re.compile(r"[!$&'*-;=?@-Z_a-z~]*+")
_INDEXES = tuple(f"/{stem}.{end}" for stem in ("index", "default") for end in "html htm php asp aspx jsp".split())
_ESCAPE = re.compile(r"%[0-9A-Fa-f]{2}")
_STRAY = re.compile(r"%(?![0-9A-Fa-f]{2})")
_UNFIT = re.compile(r"[^!-~]++|[\"<>`{}|\\^]++")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_NO_HOST = re.compile(r"[\x00-\x20\"#%/:<>?@\[\\\]^`{|}\x7f]")
# ;jsessionid=... behind a path, and the (S(...)) of ASP.NET inside one
_PATH_SESSION = re.compile(r";(?:jsessionid|phpsessid|sid)=[^/;]*+|/\([A-Z]\([0-9a-z]{8,64}\)\)(?=/)", re.IGNORECASE)
_RANDOM = re.compile(r"(?=[^0-9]*+[0-9])(?=[0-9]*+[A-Za-z])[0-9A-Za-z_,-]{16,}")


def normalise(url: str) -> Url:
    """Return the address in its one spelling, without fragment and credentials; what is none stays as it is."""
    if _PLAIN.fullmatch(url) and "/." not in url:
        return Url(url)
    try:
        parts = urlsplit(url)
        port, host = parts.port, _plain_host(parts.hostname or "")
    except ValueError:
        return Url(url)
    scheme = parts.scheme.lower()
    if not host or scheme not in PORTS:
        return Url(url)
    place = host if port is None or port == PORTS[scheme] else f"{host}:{port}"
    path = _without_dots(_plain_escapes(parts.path)) or "/"
    return Url(urlunsplit((scheme, place, path, _plain_escapes(parts.query), "")))


def identity(url: str, ignored: Collection[str] = ()) -> str:
    """Return what tells the page at a normalised address from others: parameters sorted, sessions, `ignored` gone."""
    if "?" not in url and ";" not in url and "(" not in url:
        return url
    parts = urlsplit(url)
    path = _PATH_SESSION.sub("", parts.path) or "/"
    pairs = [pair for pair in parts.query.split("&") if pair and not _is_noise(pair, ignored)]
    return urlunsplit(parts._replace(path=path, query="&".join(sorted(pairs, key=_name))))


def without_tracking(url: Url) -> Url:
    """Return the address without parameters that only tell its owner where visitors come from."""
    if "?" not in url:
        return url
    parts = urlsplit(url)
    pairs = parts.query.split("&")
    kept = [pair for pair in pairs if not is_tracking(_name(pair))]
    return url if len(kept) == len(pairs) else Url(urlunsplit(parts._replace(query="&".join(kept))))


@lru_cache(maxsize=4_096)
def is_tracking(name: str) -> bool:
    """Say whether a query parameter is known to be for counting visits only."""
    exact, prefixes, _ = _parameters()
    name = name.lower()
    return name in exact or name.startswith(prefixes)


def is_session(name: str, value: str) -> bool:
    """Say whether a query parameter is known to carry a session: its value must look random too."""
    return name.lower() in _parameters()[2] and len(value) <= LIMITS.name_chars and bool(_RANDOM.fullmatch(value))


def split_host(url: str) -> tuple[str, int | None]:
    """Return host (empty where there is none) and port of an address, the port only where it is not 80 or 443."""
    try:
        parts: SplitResult = urlsplit(url)
        port = parts.port
    except ValueError:
        return "", None
    return parts.hostname or "", None if port in (80, 443) else port


@lru_cache(maxsize=1)
def _parameters() -> tuple[frozenset[str], tuple[str, ...], frozenset[str]]:
    """Load names of tracking parameters, beginnings of such names, and names of session parameters."""
    exact: set[str] = set()
    prefixes: set[str] = set()
    sessions: set[str] = set()
    for line in files("scythe.page").joinpath("tables/parameters.txt").read_text(encoding="utf-8").splitlines():
        kind, _, names = line.partition(" ")
        if kind == "session":
            sessions.update(names.split())
        elif kind == "tracking":
            prefixes.update(name[:-1] for name in names.split() if name.endswith("*"))
            exact.update(name for name in names.split() if not name.endswith("*"))
    return frozenset(exact), tuple(sorted(prefixes)), frozenset(sessions)


def _name(pair: str) -> str:
    return pair.partition("=")[0]


def _is_noise(pair: str, ignored: Collection[str]) -> bool:
    name, _, value = pair.partition("=")
    return name in ignored or is_tracking(name) or is_session(name, value)


def _plain_host(host: str) -> str:
    """Return a host in lower-case ASCII; raises ValueError where that is none."""
    if host.isascii():
        return f"[{host}]" if ":" in host else host
    # UTS 46, not transitional, as far as names in use need it: the resolver judges the rest
    host = normalize("NFKC", host.lower()).replace("\u3002", ".").lower()
    labels = [label if label.isascii() else "xn--" + label.encode("punycode").decode() for label in host.split(".")]
    host = ".".join(labels)
    if _NO_HOST.search(host):
        raise ValueError("not a host")
    return host


def _plain_escapes(text: str) -> str:
    if _UNFIT.search(text):
        text = _UNFIT.sub(_escape, text)
    if "%" not in text:
        return text
    # behind a stray % an escape undone could become part of another: `%%34%31` is not `%41`
    return _ESCAPE.sub(_upper if _STRAY.search(text) else _undo, text)


def _escape(found: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in found[0].encode("utf-8", "replace"))


def _upper(found: re.Match[str]) -> str:
    return found[0].upper()


def _undo(found: re.Match[str]) -> str:
    letter = chr(int(found[0][1:], 16))
    return letter if letter in _UNRESERVED else found[0].upper()


def _without_dots(path: str) -> str:
    """Remove dot segments (RFC 3986, 5.2.4)."""
    if "/." not in path:
        return path
    kept: list[str] = []
    pieces = path.split("/")[1:]
    for piece in pieces:
        if piece == "..":
            del kept[-1:]
        elif piece != ".":
            kept.append(piece)
    if pieces[-1] in (".", ".."):
        kept.append("")
    return "/" + "/".join(kept)


def fold(url: str) -> str:
    """Return what an address is known by for years, not asked for by: as `identity`, and nothing that moves with time.

    http is https, a folder is its index file, a slash at the end does not count; a fragment does not either.
    """
    if _AS_FOLDED.fullmatch(url) and not url.endswith(_INDEXES):
        return url
    url = url.partition("#")[0]
    path, mark, query = url.partition("?")
    if not _FOLDED.fullmatch(path) or "/." in path or not _FOLDED_QUERY.fullmatch(query):
        path, mark, query = identity(normalise(url)).partition("?")
    elif query:
        pairs = [pair for pair in query.split("&") if pair and not _is_noise(pair, ())]
        query = "&".join(sorted(pairs, key=_name)) if len(pairs) > 1 else "".join(pairs)
    if path.startswith("http:"):
        path = f"https{path[4:]}"
    if path.endswith(_INDEXES):
        path = path[: path.rindex("/")]
    return f"{path.rstrip('/')}{mark if query else ''}{query}"
