"""Authenticate every request by token or cookie, and set security headers.

Everything requires the token. `scythe ui` prints it in a URL, which a browser trades for a cookie; programs send
`Authorization: Bearer TOKEN`. Changes are JSON POSTs and, with a cookie, need a secret that only pages of this origin
know.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import secrets
from dataclasses import dataclass, field
from html import escape
from urllib.parse import quote, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from scythe.package_files import packaged_text

PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
NOTHING_POLICY = "default-src 'none'; sandbox; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Frame-Options": "SAMEORIGIN",
    "X-DNS-Prefetch-Control": "off",  # browsers look up the hosts of links that are merely shown
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Cache-Control": "no-store",
}
LOOPBACK = ("127.0.0.1", "localhost", "::1")
_HEADER_BYTES = 65_536  # browsers send some hundred
_NAME_CHARS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789.-_")


@dataclass(frozen=True, slots=True)
class Auth:
    """What a request must show."""

    token: str = field(default_factory=lambda: secrets.token_urlsafe(24), repr=False)
    names: frozenset[str] = frozenset(LOOPBACK)  # hosts that requests may name, as `plain_host` writes them
    any_address: bool = False  # also any IP address: the page is served to other machines

    def __post_init__(self) -> None:
        if not self.token:
            raise ValueError("a token is required")

    @property
    def word(self) -> str:
        """What pages of ours send with a POST; it says nothing of the token."""
        return self._derive("csrf")

    @property
    def pass_value(self) -> str:
        """What the cookie holds."""
        return self._derive("cookie")

    @property
    def cookie(self) -> str:
        """The name of the cookie: cookies know no ports, and two pages may be open."""
        return f"scythe-{self._derive('name')[:12]}"

    def _derive(self, purpose: str) -> str:
        return hmac.new(self.token.encode(), purpose.encode(), hashlib.sha256).hexdigest()

    def knows_host(self, given: str) -> bool:
        """Say whether a Host header names this server: a page elsewhere whose name leads here does not."""
        host = read_host(given)
        return host is not None and (host in self.names or (self.any_address and _is_address(host)))

    def knows_token(self, given: str) -> bool:
        """Compare with the token, in the same time whatever is given."""
        return hmac.compare_digest(given.encode(), self.token.encode())


def read_host(given: str) -> str | None:
    """Return the host that a Host header names, None where it is not exactly one host, perhaps with a port."""
    if given.startswith("["):
        host, bracket, port = given[1:].partition("]")
        if not bracket or ":" not in host or "%" in host or not _is_address(host):
            return None
    else:
        host, colon, port = given.partition(":")
        port = colon + port
        if not host or not _NAME_CHARS.issuperset(host.lower()):
            return None
    if port and not (port[0] == ":" and len(port) <= 6 and port[1:].isascii() and port[1:].isdigit()):
        return None
    return plain_host(host)


def plain_host(name: str) -> str:
    """Write a host in the one way that hosts are compared in: small letters, addresses in their short form."""
    return str(ipaddress.ip_address(name)) if _is_address(name) else name.lower()


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


class Guarded:
    """An application behind token and origin checks."""

    def __init__(self, app: ASGIApp, auth: Auth) -> None:
        self.app, self._auth = app, auth

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1008})
                return
            await self.app(scope, receive, send)
            return
        request = Request(scope, receive)
        refused = self._refuse(request)
        await (refused or self.app)(scope, receive, _binding(send))

    def _refuse(self, request: Request) -> Response | None:
        """Return the answer to a request that may not pass, None where it may."""
        headers = request.headers
        if sum(len(name) + len(value) for name, value in headers.raw) > _HEADER_BYTES:
            return _error(431, f"the headers of a request may have {_HEADER_BYTES} bytes at most")
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self._auth.knows_host(hosts[0]):
            return _error(421, "this server has another name")
        if not request.scope["path"].startswith("/"):
            return _error(400, "what is asked for must be a path")  # a proxy would be asked for more
        token = request.query_params.get("token")
        if request.method == "GET" and token is not None and self._auth.knows_token(token):
            return self._welcome(request)
        kind, _, given = headers.get("authorization", "").partition(" ")
        by_header = kind.lower() == "bearer" and self._auth.knows_token(given.strip())
        cookie = request.cookies.get(self._auth.cookie, "")
        if not by_header and not hmac.compare_digest(cookie.encode(), self._auth.pass_value.encode()):
            return _closed(request)
        if request.method not in ("GET", "HEAD", "POST"):
            return _error(405, "only GET and POST are known here", {"Allow": "GET, HEAD, POST"})
        if not by_header and _is_foreign(request):
            return _error(403, "the request comes from another site")
        return self._refuse_change(headers, by_header=by_header) if request.method == "POST" else None

    def _refuse_change(self, headers: Headers, *, by_header: bool) -> Response | None:
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/json":
            return _error(415, "the body must be application/json")
        if by_header:
            return None
        if not hmac.compare_digest(headers.get("x-scythe", "").encode(), self._auth.word.encode()):
            return _error(403, "the word that pages of this server send is missing")
        return None

    def _welcome(self, request: Request) -> Response:
        """Trade the token in the address for a cookie, and take it out of the address."""
        rest = [(name, value) for name, value in request.query_params.multi_items() if name != "token"]
        path = "/" + quote(request.scope["path"].lstrip("/\\"))  # never //host, which is another site
        target = f"{path}?{urlencode(rest)}" if rest else path
        answer: Response = RedirectResponse(target, 303)
        if request.headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
            # a link or a file led here: only what a page of ours asks for has the cookie with it
            page = packaged_text("scythe.web", "pages/entered.html").format(escape(target))
            answer = Response(page, 200, media_type="text/html", headers=_ENTERING)
        answer.set_cookie(self._auth.cookie, self._auth.pass_value, httponly=True, samesite="strict", path="/")
        return answer


def _is_foreign(request: Request) -> bool:
    """Say whether a page of another origin is behind a request. Cookies know no ports, so its neighbours' do count.

    Following a link to a page of ours is all that others may do: what comes of it, they cannot see.
    """
    headers = request.headers
    host = headers["host"]
    if any(origin not in (f"http://{host}", f"https://{host}") for origin in headers.getlist("origin")):
        return True
    if headers.get("sec-fetch-site", "none") in ("same-origin", "none"):
        return False
    is_visit = headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"
    return not (is_visit and request.method == "GET")


def _binding(send: Send) -> Send:
    """Add to every answer the headers that it does not have."""

    async def bind(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers.setdefault(name, value)
            headers.setdefault("Content-Security-Policy", NOTHING_POLICY)
        await send(message)

    return bind


def _error(status: int, why: str, headers: dict[str, str] | None = None) -> Response:
    return JSONResponse({"error": why}, status, headers)


def _closed(request: Request) -> Response:
    """Tell a person how to come in, and a program what is missing."""
    if "text/html" in request.headers.get("accept", "") and not request.url.path.startswith("/api/"):
        closed = packaged_text("scythe.web", "pages/closed.html")
        return Response(closed, 401, media_type="text/html", headers={"WWW-Authenticate": "Bearer"})
    return JSONResponse({"error": "the token is missing or wrong"}, 401, headers={"WWW-Authenticate": "Bearer"})


_ENTERING = {"Content-Security-Policy": NOTHING_POLICY.replace("sandbox; ", "")}  # a sandbox leads nowhere
