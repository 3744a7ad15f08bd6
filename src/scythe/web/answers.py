"""Requests to what is wanted, and what comes of it to answers; every error that is meant has a status of its own."""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from scythe.errors import ArchiveFailed, BadInput, FetchFailed, MissingExtra, ScytheError
from scythe.limits import LIMITS
from scythe.web.operation import NotNow, NotThere, Sent, Wanted

W = TypeVar("W", bound=Wanted)

_STATUS: tuple[tuple[type[Exception], int], ...] = (
    (msgspec.ValidationError, 422),
    (msgspec.DecodeError, 400),
    (NotThere, 404),
    (NotNow, 409),
    (BadInput, 422),
    (FetchFailed, 502),
    (MissingExtra, 501),
    (ArchiveFailed, 503),
    (ScytheError, 500),
    (OSError, 500),
)


class TooMuch(ScytheError):
    """A body beyond the limit: 413."""


async def read_wanted(request: Request, kind: type[W]) -> W:
    """Read what a request says. Raises msgspec's errors and TooMuch."""
    named = dict(request.path_params)
    if request.method != "POST":
        return msgspec.convert({**dict(request.query_params), **named}, kind, strict=False)
    body = await _read_body(request)
    said = msgspec.json.decode(body) if body.strip() else {}
    if not isinstance(said, dict):
        raise msgspec.ValidationError("Expected `object`")
    if named:
        said |= msgspec.to_builtins(msgspec.convert(named, dict[str, str]))
        return msgspec.convert(_typed(said, named, kind), kind)
    return msgspec.convert(said, kind)


def _typed(said: dict[str, Any], named: dict[str, Any], kind: type[Wanted]) -> dict[str, Any]:
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
    headers = {"Content-Security-Policy": sent.policy}
    if sent.file_name:
        headers["Content-Disposition"] = f'attachment; filename="{sent.file_name}"'
    return Response(sent.body, 200, headers, sent.content_type)


def fail(error: Exception) -> Response:
    """Answer with the words of an error that is meant; raise any other again."""
    if isinstance(error, TooMuch):
        return send_json({"error": str(error)}, 413)
    for kind, status in _STATUS:
        if isinstance(error, kind):
            return send_json({"error": _words(error)}, status)
    raise error


def _words(error: Exception) -> str:
    if isinstance(error, OSError):
        return error.strerror or type(error).__name__  # without the path: it is nobody's business
    return str(error)
