"""A client of `scythe ui`: asks its pages and its JSON interface at a steady rate, and checks what it is told."""

from __future__ import annotations

import json
import re
import threading
import time
from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from itertools import cycle
from urllib.parse import urlsplit

PAGES = ("/", "/records", "/archive", "/archive?q=council", "/schedule", "/sites", "/rules", "/runs", "/api")
FACTS = (
    "/api/about",
    "/api/sites",
    "/api/jobs",
    "/api/search?q=market",
    "/api/watches",
    "/api/schedule",
    "/api/health",
    "/api/runs",
    "/api/openapi.json",
)
_READ = "<!doctype html><title>Harvest</title><article><h1>Harvest</h1>" + "<p>The barley is in, and dry.</p>" * 12
_TIMEOUT_S = 60.0
_KEPT = 200_000  # answers of which the time is kept for the report
_NUMBERED = re.compile(r'"/(archive/(?:page|record)|schedule/(?:page|region))/(\d+)"')


@dataclass
class Asked:
    """What the client saw so far; `lock` is held while it is read or changed."""

    count: int = 0
    reconnected: int = 0
    failures: list[str] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)
    times: deque[tuple[str, float, float]] = field(default_factory=lambda: deque(maxlen=_KEPT))  # path, when, seconds
    recent: list[float] = field(default_factory=list)  # seconds, since they were taken last
    lock: threading.Lock = field(default_factory=threading.Lock)

    def take_recent(self) -> list[float]:
        """Return how long the answers took that came since the last call."""
        with self.lock:
            taken, self.recent = self.recent, []
        return sorted(taken)


class Client(threading.Thread):
    """Asks until it is stopped."""

    def __init__(self, url: str, token: str, rate: float) -> None:
        super().__init__(name="client", daemon=True)
        self._host = urlsplit(url).netloc
        self._token, self._pause_s = token, 1 / rate
        self._stop_asked = threading.Event()
        self._connection: HTTPConnection | None = None
        self._numbered: dict[str, str] = {}
        self._archived = 0
        self._is_fresh = True
        self.asked = Asked()

    def run(self) -> None:
        """Ask one thing after the other, as many a second as was said, or as fast as they are answered."""
        due = time.monotonic()
        for path in self._paths():
            if self._stop_asked.wait(max(0.0, due - time.monotonic())):
                break
            due = max(due + self._pause_s, time.monotonic() - 5.0)
            self._ask_and_note(path)
        if self._connection is not None:
            self._connection.close()

    def stop(self) -> None:
        """End soon, and wait for that."""
        self._stop_asked.set()
        self.join(_TIMEOUT_S + 5)

    def _paths(self) -> Iterator[str]:
        for number, path in enumerate(cycle((*PAGES, *FACTS))):
            yield path
            if number % 5 == 0:
                yield "/api/read"
            if self._numbered:
                kinds = sorted(self._numbered)
                yield self._numbered[kinds[number % len(kinds)]]

    def _ask_and_note(self, path: str) -> None:
        began = time.monotonic()
        try:
            try:
                status, wrong = self._ask(path)
            except ConnectionError:  # a connection that was kept may end while nobody asks: browsers ask once more
                if self._connection is None or self._is_fresh:
                    raise
                self._connection.close()
                self._connection = None
                self.asked.reconnected += 1
                status, wrong = self._ask(path)
        except (OSError, HTTPException, ValueError) as error:
            status, wrong = 0, f"{type(error).__name__}: {error}"
            if self._connection is not None:
                self._connection.close()
            self._connection = None
        took_s, asked = time.monotonic() - began, self.asked
        with asked.lock:
            asked.count += 1
            asked.statuses[status] += 1
            asked.times.append((re.sub(r"\d+$", "N", path), began, took_s))
            asked.recent.append(took_s)
            if wrong:
                asked.failures.append(f"{path}: {wrong}")

    def _ask(self, path: str) -> tuple[int, str]:
        """Ask for one thing; return its status and what is wrong with it."""
        self._is_fresh = self._connection is None
        if self._connection is None:
            self._connection = HTTPConnection(self._host, timeout=_TIMEOUT_S)
        headers = {"Authorization": f"Bearer {self._token}"}
        if path == "/api/read":
            headers["Content-Type"] = "application/json"
            self._connection.request("POST", path, json.dumps({"html": _READ}), headers)
        else:
            self._connection.request("GET", path, headers=headers)
        answer = self._connection.getresponse()
        body, kind = answer.read(), answer.getheader("Content-Type", "").partition(";")[0]
        if answer.status != 200:
            return answer.status, f"status {answer.status}: {body[:200]!r}"
        if "default-src 'none'" not in answer.getheader("Content-Security-Policy", ""):
            return 200, "no policy"
        return 200, self._check_facts(path, body) if path.startswith("/api/") else self._check_page(kind, body)

    def _check_page(self, kind: str, body: bytes) -> str:
        if kind != "text/html" or b"</html>" not in body:
            return f"no whole page: {kind}, {len(body)} bytes"
        for found in _NUMBERED.finditer(body.decode()):
            self._numbered[found[1]] = f"/{found[1]}/{found[2]}"
        return ""

    def _check_facts(self, path: str, body: bytes) -> str:
        facts = json.loads(body)
        if path == "/api/read" and "barley" not in json.dumps(facts):
            return "the page was not read"
        if path == "/api/sites":
            pages = sum(site["counts"]["pages"] for site in facts if site["counts"])
            if pages < self._archived:
                return f"{pages} pages, where {self._archived} were before"
            self._archived = pages
        return ""


def percentile(ordered: list[float], share: float) -> float | None:
    """Return the value below which a share of them lies, None where there are none."""
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)] if ordered else None
