"""Translate errors of the network libraries into `FetchFailed`, with plain words and whether a retry may help."""

from __future__ import annotations

import socket
import ssl

import aiohttp

from scythe.errors import FetchFailed
from scythe.fetch import guard
from scythe.limits import LIMITS
from scythe.url import Url, host

TRY_AGAIN_S = 60.0


def failure_of(url: Url, error: Exception) -> FetchFailed:
    """Say in plain words why an exchange failed, and whether trying again may help."""
    cause = error.os_error if isinstance(error, aiohttp.ClientConnectorError) else error
    if isinstance(cause, guard.Refused):
        return FetchFailed(url, f"{cause}; allow it with allow_private (--allow-private) if you trust it")
    if isinstance(error, aiohttp.ClientConnectorDNSError | socket.gaierror):
        return FetchFailed(url, f"the name {host(url)} does not resolve", retry_after_s=TRY_AGAIN_S, is_unreached=True)
    if isinstance(error, aiohttp.ClientSSLError | ssl.SSLError):
        return FetchFailed(url, f"the secure connection failed: {error}")
    if isinstance(error, aiohttp.InvalidURL):
        return FetchFailed(url, "not an IP address to connect to")
    if isinstance(error, aiohttp.ClientHttpProxyError):
        return FetchFailed(url, f"the proxy answered {error.status}", retry_after_s=TRY_AGAIN_S)
    if isinstance(error, aiohttp.ClientProxyConnectionError):
        return FetchFailed(url, f"no connection to the proxy: {cause}", retry_after_s=TRY_AGAIN_S, is_unreached=True)
    if isinstance(error, aiohttp.ServerDisconnectedError):  # its own words may be the server's headers
        return FetchFailed(url, "the server closed the connection without an answer", retry_after_s=TRY_AGAIN_S)
    if isinstance(error, aiohttp.ClientResponseError):
        return FetchFailed(url, _why_no_answer(error.message))
    if isinstance(error, aiohttp.ClientConnectorError | ConnectionError):
        why = f"no connection: {str(cause) or 'it was closed at once'}"
        return FetchFailed(url, why, retry_after_s=TRY_AGAIN_S, is_unreached=True)
    return FetchFailed(url, str(error) or type(error).__name__)


def too_slow(url: Url, timeout_s: float) -> FetchFailed:
    """Say that the deadline of an exchange passed."""
    return FetchFailed(url, f"too slow: no complete answer within {timeout_s:g} s", retry_after_s=TRY_AGAIN_S)


def _why_no_answer(message: str) -> str:
    """Say what is wrong with a head, without the bytes of the server that the parser quotes."""
    if message.startswith("headers of more"):
        return message
    if message.startswith("Too many headers"):
        return f"more than {LIMITS.header_lines} header lines"
    if message.startswith("Got more than"):
        return f"a header line of more than {message.split()[3]} bytes"
    return f"the server does not speak HTTP: {message.partition(chr(10))[0].rstrip(':')[:100]}"
