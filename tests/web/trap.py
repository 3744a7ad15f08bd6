"""A server on another port, a foreign host to any browser: it serves what it is given and remembers who asked."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit


@dataclass
class Trap:
    """What the server has, and the paths that were asked for."""

    url: str = ""
    bodies: dict[str, tuple[str, bytes]] = field(default_factory=dict)  # path -> content type, body
    moved: dict[str, str] = field(default_factory=dict)  # path -> where it redirects to
    headers: dict[str, str] = field(default_factory=dict)  # sent with everything
    hits: list[str] = field(default_factory=list)


@contextmanager
def set_trap() -> Iterator[Trap]:
    """Serve a trap for as long as the context lasts."""
    trap = Trap()

    class Answering(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = urlsplit(self.path).path
            trap.hits.append(path)
            where = trap.moved.get(path)
            kind, body = trap.bodies.get(path, ("text/plain", b""))
            self.send_response(302 if where else 200 if path in trap.bodies else 404)
            if where:
                self.send_header("Location", where)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Access-Control-Allow-Origin", "*")
            for name, value in trap.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_GET

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answering)
    server.daemon_threads = True
    trap.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield trap
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
