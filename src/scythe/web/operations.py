"""Declare operations, parse requests, write responses, and map each expected error to a status.

An operation is a plain function of the state and the request; it runs in a thread. Routes, OpenAPI and tools are made
from these records.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from inspect import cleandoc, getdoc, signature
from typing import Annotated, Any, TypeVar, get_type_hints
from urllib.parse import quote

import msgspec
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from scythe.errors import ArchiveFailed, BadInput, FetchFailed, MissingExtra, ScytheError
from scythe.limits import LIMITS
from scythe.web.auth import NOTHING_POLICY
from scythe.web.state import NotNow, NotThere, State

# What requests may say is bounded by its type, so that the description of the interface tells it, too.
Number = Annotated[int, msgspec.Meta(ge=1, le=2**63 - 1)]  # of a page, a record, a job: what databases can hold
Key = Annotated[str, msgspec.Meta(max_length=500)]  # of a site, a list, a field
SiteKey = Annotated[str, msgspec.Meta(max_length=500, description="A key of GET /api/sites; empty: the first.")]
Address = Annotated[str, msgspec.Meta(max_length=LIMITS.url_chars)]


class RequestInput(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is said with a request: names in the path, the query of a GET, the JSON body of a POST."""


@dataclass(frozen=True, slots=True)
class Sent:
    """A body that is not JSON: a plot, a download, a saved page."""

    body: bytes
    content_type: str
    policy: str  # its Content-Security-Policy
    file_name: str = ""  # not empty: it is saved, not shown


@dataclass(frozen=True, slots=True)
class Operation:
    """One thing that can be asked for: JSON for programs, a page for people, or a file."""

    method: str  # GET: nothing changes; POST
    path: str  # with {names} that `wanted` has
    call: Callable[[State, Any], Any]  # returns what becomes JSON, what fills the template, or what is sent
    wanted: type[RequestInput]
    answer: Any  # the type of what it returns
    tool: str = ""  # its name for language models; empty: it is none of theirs
    only_reads: bool = False  # a POST that changes nothing: what it wants is too much for an address
    template: str = ""  # of a page
    menu: str = ""  # the entry that a page belongs to

    @property
    def name(self) -> str:
        """Its name in the documentation: that of its function."""
        return self.call.__name__

    @property
    def description(self) -> str:
        """What it does: what is said of its function."""
        return getdoc(self.call) or self.name

    @property
    def changes(self) -> bool:
        """Whether anything is otherwise afterwards."""
        return self.method != "GET" and not self.only_reads


F = TypeVar("F", bound=Callable[..., Any])


class WebArea:
    """One part of the web page: functions that answer programs, fill pages for people, or send files.

    What a function wants and answers is in its annotations, and what is said of it in its docstring. It takes the
    state, then what a request says: name by name or, where that is much, as one record called `wanted`.
    """

    def __init__(self, name: str, description: str | None, *, menu: str = "") -> None:
        self.name, self.description = name, cleandoc(description or "")
        self._menu = menu or name  # the entry of the menu that its pages belong to
        self.operations: list[Operation] = []
        self.views: list[Operation] = []
        self.files: list[Operation] = []

    def get(self, path: str, tool: str = "") -> Callable[[F], F]:
        """Let programs ask for what a function returns."""
        return self._add(self.operations, "GET", path, tool=tool)

    def post(self, path: str, tool: str = "", *, only_reads: bool = False) -> Callable[[F], F]:
        """Let programs have a function do something."""
        return self._add(self.operations, "POST", path, tool=tool, only_reads=only_reads)

    def view(self, path: str, template: str) -> Callable[[F], F]:
        """Fill a page for people with what a function returns."""
        return self._add(self.views, "GET", path, template=template, menu=self._menu)

    def file(self, path: str) -> Callable[[F], F]:
        """Send what a function returns: it is neither JSON nor a page of ours."""
        return self._add(self.files, "GET", path)

    @staticmethod
    def _add(known: list[Operation], method: str, path: str, **more: Any) -> Callable[[F], F]:
        def add(call: F) -> F:
            known.append(Operation(method, path, *_kinds(call), **more))
            return call

        return add


def _kinds(call: Callable[..., Any]) -> tuple[Callable[[State, Any], Any], type[RequestInput], Any]:
    """Return what calls a function with a record, the record that it wants, and what it answers."""
    hints = get_type_hints(call, include_extras=True)
    if "wanted" in hints:
        return call, hints["wanted"], hints["return"]
    fields: list[Any] = [
        (one.name, hints[one.name], *(() if one.default is one.empty else (one.default,)))
        for one in signature(call).parameters.values()
        if one.name != "state"
    ]
    name = "".join(word.capitalize() for word in call.__name__.split("_"))
    said = {"__doc__": (getdoc(call) or "").partition("\n")[0], "__source__": call}
    bases = (RequestInput,)
    module = call.__module__
    kind: Any = msgspec.defstruct(f"{name}Wanted", fields, bases=bases, module=module, namespace=said, frozen=True)

    @wraps(call)
    def ask(state: State, wanted: RequestInput) -> Any:
        return call(state, **msgspec.structs.asdict(wanted))

    return ask, kind, hints["return"]


W = TypeVar("W", bound=RequestInput)

_MOST = 2**63


class TooMuch(ScytheError):
    """A body beyond the limit: 413."""


class TooSlow(ScytheError):
    """A body that does not come: 408."""


_STATUS: tuple[tuple[type[Exception], int], ...] = (
    (msgspec.ValidationError, 422),
    (msgspec.DecodeError, 400),
    (ClientDisconnect, 400),  # nobody is there to read it
    (TooMuch, 413),
    (TooSlow, 408),
    (NotThere, 404),
    (NotNow, 409),
    (BadInput, 422),
    (FetchFailed, 502),
    (MissingExtra, 501),
    (ArchiveFailed, 503),
    (ScytheError, 500),
    (OSError, 500),
)
MEANT = tuple(kind for kind, _ in _STATUS)  # what goes wrong on purpose; anything else is an error in scythe


async def read_wanted(request: Request, kind: type[W]) -> W:
    """Read what a request says. Raises msgspec's errors, TooMuch and TooSlow."""
    named = dict(request.path_params)
    if request.method != "POST":
        asked = {**dict(request.query_params), **named}
        if any("\0" in value for value in asked.values()):
            raise msgspec.ValidationError("Expected text without NUL: no database holds one")
        return _checked(msgspec.convert(asked, kind, strict=False))
    try:
        async with asyncio.timeout(LIMITS.request_s):
            body = await _read_body(request)
    except TimeoutError:
        raise TooSlow(f"the body of a request must come within {LIMITS.request_s:.0f} s") from None
    said = _decode(body) if body.strip() else {}
    if not isinstance(said, dict):
        raise msgspec.ValidationError("Expected `object`")
    return _checked(msgspec.convert(_typed(said, named, kind) if named else said, kind))


def _decode(body: bytes) -> object:
    try:
        return msgspec.json.decode(body)
    except RecursionError:
        raise msgspec.DecodeError("JSON is nested too deeply") from None
    except UnicodeDecodeError:
        raise msgspec.DecodeError("JSON is not UTF-8") from None


def _checked(wanted: W) -> W:
    """Return what is wanted if its numbers are such as archives hold."""
    for each in msgspec.structs.fields(wanted):
        value = getattr(wanted, each.name)
        if isinstance(value, int) and abs(value) >= _MOST:
            raise msgspec.ValidationError(f"Integer value out of range - at `$.{each.name}`")
    return wanted


def _typed(said: dict[str, Any], named: dict[str, Any], kind: type[RequestInput]) -> dict[str, Any]:
    """Turn what stands in the path, which is text, into what its field wants."""
    types = {each.name: each.type for each in msgspec.structs.fields(kind)}
    unknown = set(named) - set(types)
    assert not unknown, f"{kind.__name__} lacks {unknown}"
    return said | {name: msgspec.convert(value, types[name], strict=False) for name, value in named.items()}


async def _read_body(request: Request) -> bytes:
    most = LIMITS.request_bytes
    parts: list[bytes] = []
    size = 0
    async for part in request.stream():
        size += len(part)
        if size > most:
            raise TooMuch(f"a request may have {most} bytes at most")
        parts.append(part)
    return b"".join(parts)


def send_json(value: object, status: int = 200) -> Response:
    """Answer with JSON."""
    return Response(msgspec.json.encode(value), status, media_type="application/json")


def send_document(sent: Sent) -> Response:
    """Answer with something else; its policy says what it may do in a browser."""
    kind = sent.content_type.partition(";")[0].strip().lower()
    if kind.endswith(("html", "xml")) and "sandbox" not in sent.policy.split():
        raise ValueError(f"{kind} of others is sent in a sandbox or not at all")
    headers = {"Content-Security-Policy": sent.policy or NOTHING_POLICY}
    if sent.file_name:
        headers["Content-Disposition"] = _disposition(sent.file_name)
    return Response(sent.body, 200, headers, sent.content_type)


def _disposition(name: str) -> str:
    """Return the header that has something saved under a name (RFC 6266); no name leaves the folder or the quotes."""
    name = "".join(char if char.isprintable() and char not in '/\\:*?"<>|;%' else "_" for char in name).lstrip(".")[
        :120
    ]
    plain = name.encode("ascii", "replace").decode().replace("?", "_") or "download"
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name or plain, safe='', errors='replace')}"


def fail(error: Exception) -> Response:
    """Answer with the words of an error that is meant: one of MEANT."""
    status = next(status for kind, status in _STATUS if isinstance(error, kind))
    return send_json({"error": words(error)}, status)


def words(error: Exception) -> str:
    """Return what is said of an error."""
    if isinstance(error, OSError):
        return error.strerror or type(error).__name__  # without the path: it is nobody's business
    return str(error)
