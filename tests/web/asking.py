"""A program that asks the served room, as any program would."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from dataclasses import dataclass
from typing import Any

from scythe.web.serve import Serving


@dataclass(frozen=True)
class Said:
    """One answer."""

    status: int
    body: bytes
    headers: dict[str, str]

    @property
    def value(self) -> Any:
        return json.loads(self.body)


def ask(serving: Serving, path: str, body: object = None, *, method: str | None = None) -> Said:
    """Ask with the token; with a body it is a POST. Bytes are sent as they are, anything else as JSON."""
    sent = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
    headers = {"Authorization": f"Bearer {serving.gate.token}", "Content-Type": "application/json"}
    request = urllib.request.Request(serving.url + path.lstrip("/"), sent, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return Said(answer.status, answer.read(), dict(answer.headers))
    except urllib.error.HTTPError as error:
        with error:
            return Said(error.code, error.read(), dict(error.headers))
