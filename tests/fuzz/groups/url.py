"""Addresses: any text comes in; one parser, one host, and what was made absolute stays as it is."""

from functools import cache
from urllib.parse import urlsplit

from tests.fuzz.registry import STRUCTURED, Wrong, target
from tests.fuzz.shapes import _HOSTS, _PATHS, _PORTS, _SCHEMES, _USERS
from yarl import URL as Dialled

from scythe.errors import FetchFailed
from scythe.fetch.fetch_options import origin_of
from scythe.fetch.fetcher import dialled
from scythe.fetch.guard import why_closed, why_closed_name
from scythe.fetch.redirects import place_of, start_of, without_fragment
from scythe.limits import LIMITS
from scythe.url import Url, absolute, host, url_shape, without_user

BASES = (
    *"https://example.org/ https://example.org/a/b?c#d http://[2001:db8::1]:8080/x https://example.org x".split(),
    None,
    "",
)
TOKENS = tuple(
    text.encode("utf-8", "surrogatepass") for text in (*_SCHEMES, *_HOSTS, *_USERS, *_PORTS, *_PATHS) if text
)


@cache
def addresses() -> tuple[bytes, ...]:
    """Return addresses with a first byte for what they are relative to."""
    texts = (
        *(
            "https://example.org/a/b.html?q=1&r=2#part",
            "http://user:pass@example.org:8080/x",
            "../up",
            "//cdn.example/x.js",
        ),
        *(
            *"https://bücher.example/straße http://[::ffff:127.0.0.1]/ mailto:a@example.org ?page=2 #top".split(),
            "a b.html",
        ),
        *("http://127.0.0.1:80\\@example.org/", "https://example.org/%e4%b8%ad", "HTTP://EXAMPLE.ORG:80/A"),
    )
    return tuple(bytes([number % len(BASES)]) + text.encode() for number, text in enumerate(texts))


@target("url.absolute", seeds=addresses, tokens=TOKENS, most_bytes=10_000)
@target("url.absolute-parts", seeds=addresses, tokens=TOKENS, shape="address", kind=STRUCTURED, most_bytes=10_000)
def make_absolute(data: bytes) -> None:
    """What is made absolute is an http(s) address that stays as it is, and has one host."""
    base = BASES[data[0] % len(BASES)] if data else None
    text = data[1:].decode("utf-8", "surrogatepass" if len(data) % 2 else "replace") if _is_text(data) else ""
    url = absolute(text, base)
    url_shape(text)
    if url is None:
        return
    if absolute(url) != url or absolute(url, base) != url or absolute(url, "https://other.example/x/") != url:
        raise Wrong(f"{url!r} is made {absolute(url)!r} when made absolute again")
    if not url.startswith(("http://", "https://")) or not host(url):
        raise Wrong(f"{url!r} is no address of the web")
    if len(url) <= LIMITS.url_chars and any(char <= " " or char == "\x7f" for char in url):
        raise Wrong(f"{url!r} holds what no address may")
    url_shape(url)
    place_of(url)
    for made in (without_user(url), without_fragment(url)):
        if host(made) != host(url):
            raise Wrong(f"{made!r} has another host than {url!r}")


def _is_text(data: bytes) -> bool:
    try:
        data[1:].decode("utf-8", "surrogatepass" if len(data) % 2 else "replace")
    except UnicodeDecodeError:
        return False
    return True


@target("url.dialled", seeds=addresses, tokens=TOKENS, most_bytes=10_000)
@target("url.dialled-parts", seeds=addresses, tokens=TOKENS, shape="address", kind=STRUCTURED, most_bytes=10_000)
def dial_judged(data: bytes) -> None:
    """The host that is judged is the one that the client would dial, however the address is spelled."""
    text = data[1:].decode("utf-8", "replace")
    try:
        url = start_of(text)
        spelled = dialled(url)
    except FetchFailed as failure:
        if not failure.why:
            raise Wrong(f"{text!r} is refused without a reason") from None
        return
    try:
        address = Dialled(spelled, encoded=spelled.isascii() and "/." not in spelled)
    except ValueError:
        return  # the client refuses it before anything is dialled
    judged, parts = place_of(spelled), urlsplit(spelled)
    if address.raw_host != judged.host or parts.hostname != judged.host:
        raise Wrong(f"{text!r}: judged {judged.host!r}, dialled {address.raw_host!r}")
    if origin_of(spelled) != f"{address.scheme}://{address.raw_host}:{address.port}":
        raise Wrong(f"{text!r}: secrets of {origin_of(spelled)!r} go to {address.origin()!r}")
    if address.user or address.password or "@" in parts.netloc:
        raise Wrong(f"{text!r}: a user is sent along")
    if dialled(spelled) != spelled:
        raise Wrong(f"{spelled!r} is spelled {dialled(spelled)!r} the second time")
    _same_elsewhere(text, Url(spelled), judged.host)
    why_closed(judged.host)
    why_closed_name(judged.host)


def _same_elsewhere(text: str, spelled: Url, judged: str) -> None:
    """Ask another parser, too: proxies have their own."""
    try:
        from urllib3.util import parse_url

        other = parse_url(spelled).host
    except (ImportError, ValueError):
        return
    if (other or "").strip("[]").lower() != judged:
        raise Wrong(f"{text!r}: judged {judged!r}, urllib3 reads {other!r}")
