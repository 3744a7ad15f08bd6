"""Who may ask: every request comes in here first, and leaves with the headers that bind a browser.

Nothing is open: page, script, picture and interface alike want the token. It is in the address that `scythe ui` shows,
which a browser trades for a cookie; programs send it as `Authorization: Bearer TOKEN`. What changes something is a POST
with JSON and, where a cookie spoke for it, with the word that only pages of this origin know.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import secrets
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlencode, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

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
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Cache-Control": "no-store",
}
LOOPBACK = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True, slots=True)
class Gate:
    """What a request must show."""

    token: str = field(default_factory=lambda: secrets.token_urlsafe(24), repr=False)
    names: frozenset[str] = frozenset(LOOPBACK)  # hosts that requests may name, lower case, without port
    any_address: bool = False  # also any IP address: the page is served to other machines

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
        try:
            host = urlsplit(f"//{given}").hostname or ""
        except ValueError:
            return False
        if host in self.names:
            return True
        return self.any_address and _is_address(host)

    def knows_token(self, given: str) -> bool:
        """Compare with the token, in the same time whatever is given."""
        return hmac.compare_digest(given.encode(), self.token.encode())


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


class Guarded:
    """An application behind a gate."""

    def __init__(self, app: ASGIApp, gate: Gate) -> None:
        self._app, self._gate = app, gate

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1008})
                return
            await self._app(scope, receive, send)
            return
        request = Request(scope, receive)
        refused = self._refuse(request)
        await (refused or self._app)(scope, receive, _binding(send))

    def _refuse(self, request: Request) -> Response | None:
        """Return the answer to a request that may not pass, None where it may."""
        headers = request.headers
        if not self._gate.knows_host(headers.get("host", "")):
            return _error(421, "this server has another name")
        by_header = self._has_bearer(headers)
        by_cookie = hmac.compare_digest(
            request.cookies.get(self._gate.cookie, "").encode(), self._gate.pass_value.encode()
        )
        token = request.query_params.get("token")
        if request.method == "GET" and token is not None and self._gate.knows_token(token):
            return self._welcome(request)
        if not (by_header or by_cookie):
            return _closed(request)
        if request.method in ("GET", "HEAD"):
            return None
        if request.method != "POST":
            return _error(405, "only GET and POST are known here")
        return self._refuse_change(headers, by_header=by_header)

    def _has_bearer(self, headers: Headers) -> bool:
        kind, _, given = headers.get("authorization", "").partition(" ")
        return kind.lower() == "bearer" and self._gate.knows_token(given.strip())

    def _refuse_change(self, headers: Headers, *, by_header: bool) -> Response | None:
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/json":
            return _error(415, "the body must be application/json")
        if by_header:
            return None
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return _error(403, "the request comes from another site")
        origin = headers.get("origin")
        if origin is not None and urlsplit(origin).netloc != headers.get("host"):
            return _error(403, "the request comes from another site")
        if not hmac.compare_digest(headers.get("x-scythe", "").encode(), self._gate.word.encode()):
            return _error(403, "the word that pages of this server send is missing")
        return None

    def _welcome(self, request: Request) -> Response:
        """Trade the token in the address for a cookie, and take it out of the address."""
        rest = [(name, value) for name, value in parse_qsl(request.url.query) if name != "token"]
        path = "/" + request.url.path.lstrip("/")  # never //host, which is another site
        answer = RedirectResponse(f"{path}?{urlencode(rest)}" if rest else path, 303)
        answer.set_cookie(self._gate.cookie, self._gate.pass_value, httponly=True, samesite="strict", path="/")
        return answer


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


def _error(status: int, why: str) -> Response:
    return JSONResponse({"error": why}, status)


def _closed(request: Request) -> Response:
    """Tell a person how to come in, and a program what is missing."""
    if "text/html" in request.headers.get("accept", "") and not request.url.path.startswith("/api/"):
        return Response(_CLOSED, 401, media_type="text/html", headers={"WWW-Authenticate": "Bearer"})
    return JSONResponse({"error": "the token is missing or wrong"}, 401, headers={"WWW-Authenticate": "Bearer"})


_CLOSED = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>scythe: closed</title>
<h1>This page wants its token</h1>
<p>Open the whole address that <code>scythe ui</code> showed in the terminal, with
<code>?token=</code> and what follows. It changes with every start.</p>
</html>
"""
