"""A site on loopback whose pages wait where a test wants them to, and that writes down who asked what when."""

import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PAGES = 31  # a tree: page n names 2n + 1 and 2n + 2


@dataclass
class GatedSite:
    """What the server saw, and what it waits for."""

    port: int = 0
    asked: list[tuple[int, str, str, str]] = field(default_factory=list)  # monotonic ns, host, path, agent
    held: set[str] = field(default_factory=set)  # paths that are answered when the gate opens
    gate: threading.Event = field(default_factory=threading.Event)
    _changed: threading.Condition = field(default_factory=threading.Condition)

    def url(self, path: str, host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.port}{path}"

    def note(self, host: str, path: str, agent: str) -> int:
        """Write a request down; return how often the path was asked for."""
        with self._changed:
            self.asked.append((time.monotonic_ns(), host, path, agent))
            self._changed.notify_all()
            return self.counts()[path]

    def counts(self) -> Counter[str]:
        return Counter(path for _, _, path, _ in self.asked)

    def wait_for(self, number: int, timeout_s: float = 120.0) -> None:
        """Return when so many requests have been seen."""
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.asked) >= number, timeout_s), self.asked

    def answer(self, path: str, times: int) -> tuple[int, str, str]:
        """Return status, location and body for a path that is asked for so many times now."""
        _, kind, name = path.split("/", 2)
        if kind == "page":
            links = (number for number in (2 * int(name) + 1, 2 * int(name) + 2) if number < PAGES)
            return 200, "", "".join(f'<a href="/page/{number}">{number}</a>' for number in links)
        if kind == "moved":
            return 302, f"/leaf/{name}", ""
        if kind == "dead" or (kind == "flaky" and times < 3):
            return 503, "", "later"
        return (200, "", "a leaf") if kind in ("leaf", "flaky") else (404, "", "nothing")


@contextmanager
def serve_gated() -> Iterator[GatedSite]:
    """Serve on every loopback address until the block ends."""
    site = GatedSite()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            host = str(self.headers["Host"]).partition(":")[0]
            times = site.note(host, self.path, str(self.headers["User-Agent"]))
            if self.path in site.held:
                site.gate.wait(240)
            status, location, body = site.answer(self.path, times)
            self.send_response(status)
            if location:
                self.send_header("Location", location)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *_: object) -> None:
            pass

        def handle(self) -> None:
            try:
                super().handle()
            except ConnectionError:  # the client was killed
                pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 64

    server = Server(("", 0), Handler)
    site.port = server.server_port
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield site
    finally:
        site.gate.set()
        server.shutdown()
        thread.join()
        server.server_close()
