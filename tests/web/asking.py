"""Ask a served state over real sockets, with headers that no well-behaved client would send."""

import json
import socket
from dataclasses import dataclass, field
from http.client import HTTPResponse
from typing import Any
from urllib.parse import urlsplit

from scythe.web.auth import Auth
from scythe.web.server import Serving

JSON = "application/json"


@dataclass(frozen=True)
class Answer:
    """What came back."""

    status: int
    headers: dict[str, str] = field(repr=False)  # names in small letters
    body: bytes = field(repr=False)

    @property
    def kind(self) -> str:
        """Its content type, without parameters."""
        return self.headers.get("content-type", "").partition(";")[0]

    @property
    def text(self) -> str:
        """Its body as text."""
        return self.body.decode()

    @property
    def value(self) -> Any:
        """Its body as JSON."""
        return json.loads(self.body)


def cookie(auth: Auth) -> dict[str, str]:
    """Return the header that a browser sends once it was let in."""
    return {"Cookie": f"{auth.cookie}={auth.pass_value}"}


def bearer(auth: Auth) -> dict[str, str]:
    """Return the header that a program sends."""
    return {"Authorization": f"Bearer {auth.token}"}


def posting(auth: Auth) -> dict[str, str]:
    """Return the headers that scripts of our pages send when they change something."""
    return {**cookie(auth), "Content-Type": JSON, "X-Scythe": auth.word, "Sec-Fetch-Site": "same-origin"}


def ask(
    serving: Serving,
    path: str,
    method: str = "GET",
    *,
    headers: dict[str, str] | None = None,
    body: bytes | None = None,
) -> Answer:
    """Send one request; Host is this server's unless `headers` say otherwise."""
    said = {"Host": urlsplit(serving.url).netloc, "Connection": "close", **(headers or {})}
    if body is not None:
        said["Content-Length"] = str(len(body))
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in said.items())]
    return send(serving, "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + (body or b""), method)


def call(serving: Serving, path: str, body: object = None, method: str = "") -> Answer:
    """Ask as a program does; with a body it is a POST. Bytes are sent as they are, anything else as JSON."""
    sent = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
    headers = {**bearer(serving.auth), "Content-Type": JSON}
    return ask(serving, path, method or ("GET" if sent is None else "POST"), headers=headers, body=sent)


def send(serving: Serving, request: bytes, method: str = "GET") -> Answer:
    """Send bytes as they are."""
    where = urlsplit(serving.url)
    assert where.hostname is not None
    with socket.create_connection((where.hostname, where.port or 80), timeout=30) as connection:
        connection.sendall(request)
        response = HTTPResponse(connection, method=method)
        response.begin()
        headers = {name.lower(): value for name, value in response.getheaders()}
        return Answer(response.status, headers, response.read())
