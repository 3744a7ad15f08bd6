"""Parse, resolve, normalise and compare URLs.

`normalise` only merges what RFC 3986 (6.2.2, 6.2.3) calls equivalent, so it is safe for requests; `identity` goes
further, to recognise the same page under several URLs.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache
from typing import NewType
from unicodedata import normalize
from urllib.parse import SplitResult, urljoin, urlsplit, urlunsplit

from scythe.limits import LIMITS
from scythe.package_files import packaged_text

Url = NewType("Url", str)
FOLDER = "folder:"  # the base of a page in a file whose address nobody knows: what lies beside it is named as written

_STRIP = "\t\n\r\f \x00"
_QUOTE = {ord(c): f"%{ord(c):02X}" for c in ' "<>`{}|\\^'} | {i: f"%{i:02X}" for i in (*range(32), 127)}
# addresses that need no work, nine of ten on real pages: the general way takes 16 us each
_PLAIN = re.compile(
    r"https?://[a-z0-9-]++(?:\.[a-z0-9-]++)++(?::[1-5][0-9]{4}|:[1-9][0-9]{1,3})?+(?:[/?#][!#-;=?-\[\]_a-z~]*+)?+"
)
_PLAIN_PATH = re.compile(r"/(?!/)[!#-;=?-\[\]_a-z~]*+")
# no colon: no scheme; no empty query, which the general way drops
_PLAIN_NAME = re.compile(r"[0-9A-Z_a-z][!#-.0-9=A-Z\[\]_a-z~-]*+(?:[/?#][!#-:=?-\[\]_a-z~]*+)?+(?<!\?)")
_SHAPED = 2_000  # characters of an address that make its shape
_SEGMENTS = 12  # of its path
_DIGITS = re.compile(r"[0-9]+")
_SUFFIX = re.compile(r"\.[a-z][a-z0-9]{1,4}$")
_JOINTS = re.compile(r"[-_+.,~ ]")
_ESCAPE = re.compile(r"%[0-9A-Fa-f]{2}")


def absolute(text: str, base: str | None = None) -> Url | None:
    """Return the absolute http(s) address `text` stands for on a page at `base`, or None if it stands for none.

    With `FOLDER` as the base, a path relative to the page stays one.
    """
    if base == FOLDER:
        return absolute(text) or _beside(text)
    text = text.strip(_STRIP)
    if not text or len(text) > LIMITS.url_chars:
        return None
    if text[-1] != "#":
        if _PLAIN.fullmatch(text):
            return Url(text)
        if base and "/." not in text and (origin := _origin(base)):
            if _PLAIN_PATH.fullmatch(text):
                return _bounded(origin + text)
            if _PLAIN_NAME.fullmatch(text) and "//" not in text and "?#" not in text and (folder := _folder(base)):
                return _bounded(folder + text)
    try:
        parts = urlsplit(text)
        if base and not (parts.scheme and parts.netloc):  # joined, what is whole would lose a `;` at its end
            parts = urlsplit(urljoin(base, text))
        if parts.scheme not in ("http", "https") or not parts.hostname:
            return None
        parts.port  # noqa: B018  (raises ValueError on a port out of range)
        url = urlunsplit(parts).translate(_QUOTE)
        if "[" in parts.netloc:  # quoted, or without a user before it, what is in the brackets may be no number
            urlsplit("//" + urlsplit(url).netloc.rpartition("@")[2])
        return _bounded(url)
    except ValueError:
        return None


def _beside(text: str) -> Url | None:
    """Return the path of what lies in the folder of a page, or above it, None where a text is none."""
    try:
        parts = urlsplit(text.strip(_STRIP).removeprefix("./"))
    except ValueError:
        return None
    if parts.scheme or parts.netloc or not parts.path or parts.path[0] in "/\\":
        return None
    return _bounded(parts.path.translate(_QUOTE))


def _bounded(url: str) -> Url | None:
    """Return an address unless joining or quoting made it longer than any."""
    return Url(url) if len(url) <= LIMITS.url_chars else None


@lru_cache(maxsize=256)
def _origin(base: str) -> str:
    """Return scheme and host of a plain address, or an empty string."""
    return "/".join(_bare(base).split("/", 3)[:3]) if _PLAIN.fullmatch(base) else ""


@lru_cache(maxsize=256)
def _folder(base: str) -> str:
    """Return what a plain relative address is put behind, or an empty string."""
    path = _bare(base)
    if path.count("/") == 2:
        return path + "/"
    return path[: path.rfind("/") + 1] if path.count("//") == 1 and "/." not in path else ""


def _bare(url: str) -> str:
    return url.partition("#")[0].partition("?")[0]


@lru_cache(maxsize=256)
def host(url: str) -> str:
    """Return the host name of `url` in lower case, or an empty string."""
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def url_shape(url: str) -> str:
    """Return what an address looks like: `/2021/03/some-title/?p=7` is `/9/9/a-a/?p`.

    A number is `9`, a word `a`, words joined `a-a`, words with a number `a-9`; a file suffix and the names of query
    parameters stay.
    """
    path, query = _path_and_query(url[:_SHAPED])
    segments = path.split("/")
    shape = "/".join(_segment_shape(segment) for segment in segments[:_SEGMENTS])
    if len(segments) > _SEGMENTS:
        shape += "/..."
    names = sorted({piece.partition("=")[0] for piece in query.split("&") if piece}) if query else []
    return shape + ("?" + "&".join(_DIGITS.sub("9", name) for name in names[:_SEGMENTS]) if names else "")


def _path_and_query(url: str) -> tuple[str, str]:
    if _PLAIN.fullmatch(url):  # nine of ten; the general way takes four times as long
        path, _, query = url.partition("#")[0].partition("?")
        _, slash, path = path[8:].partition("/")
        return slash + path, query
    try:
        parts = urlsplit(url)
    except ValueError:
        return "", ""
    return parts.path, parts.query


@lru_cache(maxsize=4_096)
def _segment_shape(segment: str) -> str:
    if not segment:
        return ""
    segment = _ESCAPE.sub("x", segment.replace("%20", "-"))  # not a number, whatever its digits
    suffix = _SUFFIX.search(segment.lower())
    stem, ending = (segment[: suffix.start()], suffix[0]) if suffix else (segment, "")
    if stem.isdigit():
        return "9" + ending
    joined = _JOINTS.search(stem.strip("-_. ")) is not None
    tail = "-9" if _DIGITS.search(stem) else "-a" if joined else ""
    return "a" + tail + ending


_AFTER_SCHEME = re.compile(r"(?<=://)(?:(?!://)[^\s\"'<>])++")


def without_user(url: Url) -> Url:
    """Drop user name and password of an absolute address."""
    if "@" not in url:
        return url
    parts = urlsplit(url)
    return Url(urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2])))


def hide_users(text: str) -> str:
    """Return a text without user names and passwords in addresses of any scheme, whole or broken."""
    return _AFTER_SCHEME.sub(_hide_user, text) if "@" in text and "://" in text else text


def _hide_user(found: re.Match[str]) -> str:
    rest = found[0]
    end = next((at for at, char in enumerate(rest) if char in "/?#"), len(rest))
    user = rest.rfind("@", 0, end)
    if user < 0:
        _, _, port = rest[:end].partition(":")
        if port and not port.isdigit() and not rest.startswith("["):  # a password with a slash in it
            user = rest.rfind("@")
    return rest[user + 1 :]


PORTS = {"http": 80, "https": 443}
# addresses that need no work: nine of ten
_NORMALISE_PLAIN = re.compile(
    r"https?://[a-z0-9-]++(?:\.[a-z0-9-]++)*+/[!$&-;=@-Z\[\]_a-z~]*+(?:\?[!$&-;=?@-Z\[\]_a-z~]++)?+"
)
# addresses that a fold leaves as they are, and parts of others that need no closer look
_AS_FOLDED = re.compile(r"https://[a-z0-9-]++(?:\.[a-z0-9-]++)*+(?:/[0-9A-Z_a-z~-][!$&'*-.0-9:=@A-Z_a-z~]*+)++")
_FOLDED = re.compile(r"https?://[a-z0-9-]++(?:\.[a-z0-9-]++)*+/[!$&'*-.0-9/:=@A-Z_a-z~]*+")
_FOLDED_QUERY = re.compile(r"[!$&'*-;=?@-Z_a-z~]*+")
_INDEXES = tuple(f"/{stem}.{end}" for stem in ("index", "default") for end in "html htm php asp aspx jsp".split())
_STRAY = re.compile(r"%(?![0-9A-Fa-f]{2})")
_UNFIT = re.compile(r"[^!-~]++|[\"<>`{}|\\^]++")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_NO_HOST = re.compile(r"[\x00-\x20\"#%/:<>?@\[\\\]^`{|}\x7f]")
# ;jsessionid=... behind a path, and the (S(...)) of ASP.NET inside one
_PATH_SESSION = re.compile(r";(?:jsessionid|phpsessid|sid)=[^/;]*+|/\([A-Z]\([0-9a-z]{8,64}\)\)(?=/)", re.IGNORECASE)
_RANDOM = re.compile(r"(?=[^0-9]*+[0-9])(?=[0-9]*+[A-Za-z])[0-9A-Za-z_,-]{16,}")


def normalise(url: str) -> Url:
    """Return the address in its one spelling, without fragment and credentials; what is none stays as it is."""
    if _NORMALISE_PLAIN.fullmatch(url) and "/." not in url:
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
    for line in packaged_text("scythe", "url_parameters.txt").splitlines():
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
