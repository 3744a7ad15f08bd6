"""The HTTP interface and the tools of language models: any request comes in, an answer that is meant goes out.

The real application is called as a server would call it; nothing leaves the machine: no name resolves.
"""

import asyncio
import json
import socket
from functools import cache
from typing import Any
from urllib.parse import quote, unquote_to_bytes

from tests.fuzz.registry import STRUCTURED, Wrong, target
from tests.fuzz.seeds import folder
from tests.web.conftest import demo_pages

from scythe import Site
from scythe.fetch import guard
from scythe.fetch.fetch_options import FetchOptions
from scythe.web.app import all_operations, make_app
from scythe.web.auth import Auth
from scythe.web.state import State, StateOptions
from scythe.web.tools import Tool, call_tool, list_tools

TOKEN = "fuzz-token"
MEANT = (501, 502, 503)  # above 500, and not our fault
# what starts threads and processes of its own is asked by tests/web, not a million times
_STARTS = tuple("/api/pages /api/runs /api/learn /api/fields/learn /api/watch /api/schedule/now".split())
PATHS = (
    *("/", "/annotate", "/fields", "/rules?site=profile", "/records", "/archive?q=a", "/schedule", "/health", "/runs"),
    *"/static/base.css /static/../app.py /api/openapi.json /api/documents/1/diff?old=1&new=2 /nothing //x".split(),
)
TOKENS = tuple(
    text.encode()
    for text in (
        *'"html": "url": "page": "site": "profile" "<p>a</p>" 1 -1 null [ ] { } \\ud800'.split(),
        *"GET |POST |HEAD |PUT |Host: |Cookie: |Authorization: Bearer |Content-Type: application/json".split("|"),
        *(*"%00 %2e%2e/ ? & = page= site= q=".split(), "\r\n", "Sec-Fetch-Site: cross-site", "Origin: null"),
    )
)


class _Served:
    """The application, with a machine around it that nothing leaves."""

    def __init__(self) -> None:
        self._kept = socket.getaddrinfo, guard.why_closed
        socket.getaddrinfo = self._refuse
        guard.why_closed = lambda address: "closed while fuzzing"
        self.runner = asyncio.Runner()
        made = folder("state")
        pages = demo_pages()[:4]
        Site.learn([(page.url, page.body) for page in pages]).save(made / "site.json")
        options = StateOptions(str(made / "archive.db"), made / "site.json", "", FetchOptions(timeout_s=1.0), 0.0)
        self.state = State(options, pages)
        self.app = make_app(self.state, Auth(TOKEN))

    @staticmethod
    def _refuse(*_: Any, **__: Any) -> Any:
        raise socket.gaierror(socket.EAI_NONAME, "no name resolves here")

    def close(self) -> None:
        """Open the machine again."""
        self.runner.close()
        socket.getaddrinfo, guard.why_closed = self._kept


@cache
def served() -> _Served:
    """Return the application; who does not own the process closes it afterwards, with `stop`."""
    return _Served()


def stop() -> None:
    """Leave the process as it was."""
    if served.cache_info().currsize:
        served().close()
        served.cache_clear()


def ask(
    method: str, path: str, headers: list[tuple[bytes, bytes]], body: bytes
) -> tuple[int, dict[bytes, bytes], bytes]:
    """Call the application as a server does; return status, headers and body."""
    plain, _, query = path.partition("?")
    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "root_path": "",
        "path": unquote_to_bytes(plain).decode("utf-8", "replace"),
        "raw_path": plain.encode("utf-8", "replace"),
        "query_string": query.encode("ascii", "replace"),
        "headers": headers,
        "asgi": {"version": "3.0"},
        "client": ("127.0.0.1", 5),
        "server": ("127.0.0.1", 80),
    }
    sent: list[dict[str, Any]] = []
    waiting = [{"type": "http.request", "body": body, "more_body": False}, {"type": "http.disconnect"}]

    async def receive() -> dict[str, Any]:
        return waiting.pop(0) if len(waiting) > 1 else waiting[0]

    async def send(message: Any) -> None:
        sent.append(message)

    served().runner.run(served().app(scope, receive, send))
    found = dict(sent[0]["headers"])
    return sent[0]["status"], found, b"".join(message.get("body", b"") for message in sent[1:])


def _check(status: int, headers: dict[bytes, bytes], body: bytes, path: str) -> None:
    if status >= 500 and status not in MEANT:
        raise Wrong(f"{path[:100]!r} was answered with {status}: {body[:300]!r}")
    if b"content-security-policy" not in headers or headers.get(b"x-content-type-options") != b"nosniff":
        raise Wrong(f"{path[:100]!r} was answered without the headers that bind a browser")
    if headers.get(b"content-type", b"").startswith(b"application/json"):
        answer = json.loads(body) if body else None
        if status >= 400 and body and not answer.get("error"):
            raise Wrong(f"{path[:100]!r}: {status} and no reason")


@cache
def requests() -> tuple[bytes, ...]:
    """Return requests as text: a line, headers, a body."""
    auth = f"Host: 127.0.0.1\nAuthorization: Bearer {TOKEN}\nContent-Type: application/json\n\n"
    gets = [f"GET {path}\n{auth}" for path in PATHS]
    gets += [f"{one.method} {one.path.replace('{', '').replace('}', '')}\n{auth}{{}}" for one in _operations()]
    gets += [
        f"GET /?token={TOKEN}\nHost: localhost\n\n",
        "GET /api/about\nHost: evil.example\n\n",
        "POST /api/read\nHost: 127.0.0.1\n\n{}",
    ]
    return tuple(text.encode() for text in gets)


@cache
def _operations() -> tuple[Any, ...]:
    return tuple(one for one in all_operations() if one.method == "GET" or not one.path.startswith(_STARTS))


@target("api.requests", seeds=requests, tokens=TOKENS, most_bytes=8_000)
@target("api.requests-lines", seeds=requests, tokens=TOKENS, shape="lines", kind=STRUCTURED, most_bytes=8_000)
def request_any(data: bytes) -> None:
    """Any request gets an answer that is meant; without the token nothing is told."""
    head, _, body = data.partition(b"\n\n")
    first, *lines = head.split(b"\n")
    method, _, path = first.decode("utf-8", "replace").strip().partition(" ")
    method = method if method.isascii() and method.isalpha() and method.isupper() else "GET"
    path = path if path.isascii() and path.isprintable() else quote(path, safe="/?&=%")
    if path.startswith(_STARTS) and method == "POST":
        return
    pairs = (line.partition(b":") for line in lines)
    headers = [(name.strip().lower(), value.strip()) for name, _, value in pairs]
    status, found, answer = ask(method, path, headers, body)
    _check(status, found, answer, path)
    if TOKEN.encode() not in data and status not in (400, 401, 403, 405, 421, 431):
        raise Wrong(f"{path[:100]!r} was answered with {status} without a token")


@cache
def bodies() -> tuple[bytes, ...]:
    """Return JSON bodies with a first byte for the operation."""
    known = (
        *(
            {"html": "<h1>A</h1><p>Some words stand here.</p>", "url": "https://example.org/"},
            {"page": 1},
            {"page": 2, "site": "profile"},
        ),
        *(
            {"url": "http://127.0.0.1/"},
            {"site": "profile", "field": "title", "element": 5},
            {"q": "a*", "what": "records"},
            {"number": 1},
        ),
        *({"page": 1, "image": "#1", "relevant": True}, {"name": "price", "page": 1, "element": 7, "value": ""}, {}),
    )
    ways = range(0, 256, 5)
    return tuple(bytes([way]) + json.dumps(value).encode() for way in ways for value in known[way % 3 :: 3])


@target("api.operations", seeds=bodies, tokens=TOKENS, most_bytes=8_000)
@target("api.operations-values", seeds=bodies, tokens=TOKENS, shape="api", kind=STRUCTURED, most_bytes=8_000)
def operate(data: bytes) -> None:
    """Any body is answered by any operation."""
    operations = _operations()
    one = operations[data[0] % len(operations) if data else 0]
    body = data[1:]
    path = one.path
    for name in ("number", "page", "record"):
        path = path.replace(f"{{{name}}}", str(len(data) % 4))
    if one.method == "GET":
        path += "?" + _query(body)
    headers = [
        (b"host", b"127.0.0.1"),
        (b"authorization", b"Bearer " + TOKEN.encode()),
        (b"content-type", b"application/json"),
    ]
    _check(*ask(one.method, path, headers, body if one.method == "POST" else b""), path)


def _query(body: bytes) -> str:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return quote(body[:500], safe="=&")
    pairs = value.items() if isinstance(value, dict) else ()
    return "&".join(
        f"{quote(str(name).encode('utf-8', 'replace'))}={quote(str(item).encode('utf-8', 'replace'))}"
        for name, item in pairs
    )


@cache
def _tools() -> tuple[Tool, ...]:
    return tuple(tool for tool in list_tools(allow_changes=True).values() if tool.operation in _operations())


@target("api.tools", seeds=bodies, tokens=TOKENS, shape="api", kind=STRUCTURED, most_bytes=8_000)
def use_tool(data: bytes) -> None:
    """Any arguments of a tool give an outcome that fits."""
    tools = _tools()
    tool = tools[data[0] % len(tools) if data else 0]
    try:
        arguments = json.loads(data[1:])
    except (ValueError, RecursionError):
        return
    if isinstance(arguments, dict):
        outcome = call_tool(served().state, tool, arguments, 5_000)
        if len(outcome.text) > 10_000 and not outcome.is_error:
            raise Wrong(f"{tool.name} answers with {len(outcome.text)} characters")
