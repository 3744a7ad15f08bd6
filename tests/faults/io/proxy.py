"""A way to a server that can be cut: connections come in on one socket and go out on another, chunk by chunk."""

import select
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

_CHUNK = 65_536
Connect = Callable[[], socket.socket]


class Proxy:
    """Passes bytes on until a chunk that is told, or while it is open."""

    def __init__(self, listen: Connect, connect: Connect) -> None:
        self._listen, self._connect = listen, connect
        self._lock = threading.Lock()
        self._pairs: set[tuple[socket.socket, socket.socket]] = set()
        self._server: socket.socket | None = None
        self._cut_at, self._delivers = 0, False
        self.chunks = 0  # that came since `arm`, in both directions
        self.cuts = 0

    def arm(self, cut_at: int, *, delivers: bool = False) -> None:
        """Cut all connections at a chunk from now on, from 1; `delivers` says whether that one still arrives."""
        with self._lock:
            self._cut_at, self._delivers, self.chunks, self.cuts = cut_at, delivers, 0, 0

    def open(self) -> None:
        """Take connections."""
        self._server = self._listen()
        threading.Thread(target=self._accept, args=[self._server], daemon=True).start()

    def close(self) -> None:
        """Refuse connections, and cut those there are."""
        assert self._server is not None
        self._server.shutdown(socket.SHUT_RDWR)  # wakes up who waits in accept
        self._server.close()
        self._cut_all()

    def _cut_all(self) -> None:
        with self._lock:
            pairs = list(self._pairs)
        for pair in pairs:
            for end in pair:
                with_no_error(end.shutdown, socket.SHUT_RDWR)

    def _accept(self, server: socket.socket) -> None:
        while True:
            try:
                client, _ = server.accept()
            except OSError:
                return
            try:
                pair = (client, self._connect())
            except OSError:  # the server behind is gone
                client.close()
                continue
            with self._lock:
                self._pairs.add(pair)
            threading.Thread(target=self._pass_on, args=[pair], daemon=True).start()

    def _pass_on(self, pair: tuple[socket.socket, socket.socket]) -> None:
        others = {pair[0]: pair[1], pair[1]: pair[0]}
        try:
            while True:
                for ready in select.select(pair, [], [])[0]:
                    chunk = ready.recv(_CHUNK)
                    if not chunk:
                        return
                    is_last, arrives = self._count()
                    if arrives:
                        others[ready].sendall(chunk)
                    if is_last:
                        return
        except OSError:
            return
        finally:
            with self._lock:
                self._pairs.discard(pair)
            for end in pair:
                end.close()

    def _count(self) -> tuple[bool, bool]:
        with self._lock:
            self.chunks += 1
            is_last = self.chunks == self._cut_at
            self.cuts += is_last
            return is_last, not is_last or self._delivers


def with_no_error(work: Callable[[int], None], how: int) -> None:
    try:
        work(how)
    except OSError:  # it was closed before
        pass


@contextmanager
def proxied_unix(folder: str, beside: Path) -> Iterator[Proxy]:
    """Put a proxy before a PostgreSQL server whose socket is in `folder`; the new one is in `beside`."""
    name = ".s.PGSQL.5432"

    def listen() -> socket.socket:
        server = socket.socket(socket.AF_UNIX)
        (beside / name).unlink(missing_ok=True)  # of the proxy before
        server.bind(str(beside / name))
        server.listen()
        return server

    def connect() -> socket.socket:
        client = socket.socket(socket.AF_UNIX)
        client.connect(f"{folder}/{name}")
        return client

    proxy = Proxy(listen, connect)
    proxy.open()
    yield proxy
    proxy.close()


@contextmanager
def proxied_port(port: int) -> Iterator[tuple[Proxy, int]]:
    """Put a proxy before a server on a port of this machine; gives the port of the proxy, which stays the same."""
    listening = socket.create_server(("127.0.0.1", 0))
    own = listening.getsockname()[1]
    listening.close()
    proxy = Proxy(
        lambda: socket.create_server(("127.0.0.1", own)), lambda: socket.create_connection(("127.0.0.1", port))
    )
    proxy.open()
    yield proxy, own
    proxy.close()
