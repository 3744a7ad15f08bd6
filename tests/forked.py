"""Commands of scythe in processes of their own that need not start: one that has imported it forks one for each.

Starting Python and importing what a command needs takes longer than most commands of a test. `serve_forked` starts the
server, which is this module run as a program; `tests/forked_client.py` hands it the commands of a shell.
"""

import atexit
import contextlib
import io
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, TextIO

from tests.stand_in import main as run_stand_in

from scythe.cli.main import VERBS, load_verb
from scythe.cli.main import run as run_command

ROOT = Path(__file__).resolve().parent.parent
_MODULES = {"scythe": "scythe", "stand_in": "tests.stand_in"}
_CLIENT = ROOT / "tests" / "forked_client.py"
_PRELOADED = (
    "aiohttp", "numpy.ma", "pydantic.type_adapter", "rich.table", "sqlalchemy.dialects.sqlite", "sqlite3",
    "scythe.archive.open", "scythe.cli.crawl_report", "scythe.cli.schedule_report", "scythe.crawling.crawl",
    "scythe.demo", "scythe.output.archive_export", "scythe.reader", "scythe.reading.attributes",
    "scythe.reading.images.relevance", "scythe.reading.lists.find_lists", "scythe.reading.text.choose_text",
    "scythe.reading.text.confidence", "scythe.schedule.plots", "scythe.site.learn", "scythe.site.site",
    "scythe.watching.watch",
)  # fmt: skip
_BYTES = 1_000_000  # of a request at most: arguments and environment
_STARTED_BY = ("PYTHON", "LC_", "LANG", "COV")  # variables that matter when Python starts
_PATIENCE_S = 120.0


class Forked:
    """A server of processes; each command gets one. `bin` is a folder with a `scythe` for shells."""

    def __init__(self, folder: Path) -> None:
        self.place, self.bin = f"{folder}/forked", folder / "bin"
        self._began = _started_by()
        self.bin.mkdir()
        self.lay_out(self.bin, "scythe")

    def lay_out(self, folder: Path, main: str) -> None:
        """Put a command `scythe` into a folder that runs `main`: scythe, or its stand-in."""
        (folder / "scythe").write_text(
            f'#!/bin/sh\nexec {sys.executable} -I -S {_CLIENT} {self.place} {main} "$@"\n'
            if can_fork()
            else f'#!/bin/sh\nPYTHONPATH="{ROOT}:$PYTHONPATH" exec {sys.executable} -m {_MODULES[main]} "$@"\n'
        )
        (folder / "scythe").chmod(0o755)

    def run(self, arguments: Sequence[str], folder: Path, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        """Run a command to its end, as `subprocess.run` does."""
        if not can_fork() or _started_by() != self._began:
            command = [sys.executable, "-m", "scythe", *arguments]
            return subprocess.run(command, cwd=folder, input=given, capture_output=True, timeout=_PATIENCE_S)
        with tempfile.TemporaryFile() as stdin, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            stdin.write(given)
            stdin.seek(0)
            files = (stdin.fileno(), out.fileno(), err.fileno())
            code = ask(self.place, arguments, folder, files)
            for file in (out, err):
                file.seek(0)
            return subprocess.CompletedProcess(arguments, code, out.read(), err.read())


def can_fork() -> bool:
    """Say whether a forked process is as good as one that starts: not where coverage looks on."""
    return sys.platform != "win32" and not any(name.startswith("COV") for name in os.environ)


def _started_by() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name.startswith(_STARTED_BY)}


@contextmanager
def serve_forked() -> Iterator[Forked]:
    """Start a server where processes can be forked, and end it after the block."""
    with tempfile.TemporaryDirectory() as folder:
        forked = Forked(Path(folder))
        if not can_fork():
            yield forked
            return
        server = subprocess.Popen([sys.executable, "-m", "tests.forked", forked.place], stdin=subprocess.PIPE, cwd=ROOT)
        try:
            until = time.monotonic() + _PATIENCE_S
            while not os.path.exists(forked.place):
                assert server.poll() is None, "the server of processes did not start"
                assert time.monotonic() < until, "the server of processes takes too long to start"
                time.sleep(0.01)
            yield forked
        finally:
            assert server.stdin is not None
            server.stdin.close()
            server.wait(10)


def ask(place: str, arguments: Sequence[str], folder: Path, files: Sequence[int]) -> int:
    """Have a command run with these files as stdin, stdout and stderr, and return its exit code."""
    request = {"main": "scythe", "arguments": [*arguments], "folder": str(folder), "environment": dict(os.environ)}
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(_PATIENCE_S)
        connection.connect(place)
        socket.send_fds(connection, [f"{json.dumps(request)}\n".encode()], files)
        said = connection.makefile("r")
        process = int(said.readline())
        try:
            return int(said.readline() or -signal.SIGKILL)
        except BaseException:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
            raise


def serve(place: str) -> None:
    """Fork a process for each command that comes, until stdin is closed."""
    for verb in VERBS:
        load_verb(verb)
    for name in _PRELOADED:
        import_module(name)
    signal.signal(signal.SIGCHLD, _reap)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(f"{place}.new")
        listener.listen(64)
        os.rename(f"{place}.new", place)
        while listener in select.select([listener, sys.stdin], [], [])[0]:
            connection, _ = listener.accept()
            if os.fork() == 0:
                listener.close()
                _be_command(connection)
            connection.close()


def _be_command(connection: socket.socket) -> None:
    """Do what was asked for, say how it ended, and end."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    received, files, _, _ = socket.recv_fds(connection, _BYTES, 3)
    while not received.endswith(b"\n"):
        received += connection.recv(_BYTES)
    request = json.loads(received)
    connection.sendall(f"{os.getpid()}\n".encode())
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    code = 1
    try:
        code = _run(request)
    finally:
        if sys.exc_info()[0] is not None:
            traceback.print_exc()
        with contextlib.suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
        with contextlib.suppress(OSError):
            connection.sendall(f"{code}\n".encode())
        os._exit(code)


def _run(request: Mapping[str, Any]) -> int:
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])
    sys.stdin = io.TextIOWrapper(io.BufferedReader(io.FileIO(0, closefd=False)), sys.stdin.encoding, sys.stdin.errors)
    sys.stdout, sys.stderr = _written(1, sys.stdout), _written(2, sys.stderr)
    sys.path[0] = os.getcwd()
    sys.argv = ["scythe", *request["arguments"]]
    try:
        (run_stand_in if request["main"] == "stand_in" else run_command)()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    finally:
        atexit._run_exitfuncs()
    return 0


def _written(number: int, before: TextIO) -> TextIO:
    """Return a stream as Python opens it, to a file that is another than when it started."""
    raw, is_line = io.FileIO(number, "w", closefd=False), number == 2 or os.isatty(number)
    return io.TextIOWrapper(io.BufferedWriter(raw), before.encoding, before.errors, line_buffering=is_line)


def _reap(number: int, frame: object) -> None:
    """Let go of processes that ended, which adds their time to ours."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


if __name__ == "__main__":
    serve(sys.argv[1])
