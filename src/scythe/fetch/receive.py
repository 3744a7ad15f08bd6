"""Read one answer: its head and its stream come in, headers that can be kept and a bounded body go out."""

from __future__ import annotations

from collections.abc import Mapping

import aiohttp

from scythe.fetch.connections import Answer
from scythe.fetch.decode import Decoded, Decoder
from scythe.limits import LIMITS

_BROKEN = (aiohttp.ClientPayloadError, aiohttp.ClientConnectionError, ConnectionError)
_WHY_BROKEN = "the connection ended before the body did"
_IN_ONE = 1_000_000  # declared bodies up to here are held in pieces and put together once


def readable_headers(headers: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Return headers as text that can be written anywhere: what is no UTF-8 becomes Latin-1, or %XX of an address."""
    if "".join(headers.values()).isascii():
        return tuple(headers.items())
    return tuple((name, _readable(name, value)) for name, value in headers.items())


def _readable(name: str, value: str) -> str:
    try:
        value.encode()
    except UnicodeEncodeError:  # aiohttp marks bytes that are no UTF-8 with surrogates
        raw = value.encode("utf-8", "surrogateescape")
        if name.lower() == "location":
            return "".join(chr(byte) if byte < 128 else f"%{byte:02X}" for byte in raw)
        return raw.decode("latin-1")
    return value


async def read_body(answer: aiohttp.ClientResponse, max_bytes: int) -> Decoded:
    """Read the body of an answer without its codings, up to `max_bytes`; say why where it is not whole."""
    decoded = await _read(answer, max_bytes)
    if isinstance(answer, Answer) and answer.talk.said_more and not decoded.cut:
        return Decoded(decoded.body, "the server sent more than it declared")
    return decoded


async def _read(answer: aiohttp.ClientResponse, max_bytes: int) -> Decoded:
    content_encoding = answer.headers.get("Content-Encoding", "")
    length = answer.content_length
    if length is not None and length <= min(max_bytes, _IN_ONE) and not content_encoding:
        return await _read_declared(answer.content)
    decoder = Decoder(content_encoding, max_bytes=max_bytes, max_ratio=LIMITS.inflate_ratio, max_codings=LIMITS.codings)
    try:
        while piece := await answer.content.readany():
            decoder.feed(piece)
            if decoder.is_full:
                answer.close()
                return decoder.finish()
    except _BROKEN:
        decoder.feed(_what_came(answer.content))
        decoded = decoder.finish()
        return Decoded(decoded.body, decoded.cut or _WHY_BROKEN)
    return decoder.finish()


async def _read_declared(content: aiohttp.StreamReader) -> Decoded:
    """Read a body that is as long as declared, or ends with an error."""
    pieces = []
    try:
        while not content.at_eof():
            pieces.append(await content.readany())
    except _BROKEN:
        return Decoded(b"".join((*pieces, _what_came(content))), _WHY_BROKEN)
    return Decoded(pieces[0] if len(pieces) == 1 else b"".join(pieces))


def _what_came(content: aiohttp.StreamReader) -> bytes:
    """Return what had come before the error: the stream does not give it out while the error stands."""
    content.set_exception(None)  # type: ignore[arg-type]
    return content.read_nowait(-1)
