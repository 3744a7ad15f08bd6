"""A PostgreSQL server that can be stopped in the middle of everything and started again with what it had."""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.postgres import _USER, _wait_until_ready

_PATIENCE = 60  # attempts to start: those that outlive a killed server take a moment to notice


class Server:
    """One cluster of databases; the folder of its socket is `folder`."""

    def __init__(self, programs: Path, folder: Path) -> None:
        self.folder = folder
        self._programs = programs
        self._user = _USER if os.geteuid() == 0 else None  # the server refuses to be root
        self._environment = {"LC_ALL": "C", "PATH": os.environ.get("PATH", "")}
        if self._user:
            shutil.chown(folder, self._user, self._user)
        flags = ["-U", _USER, "-A", "trust", "-E", "UTF8", "-N"]
        with (folder / "log").open("ab") as log:
            command = [programs / "initdb", "-D", folder / "cluster", *flags]
            subprocess.run(
                command, user=self._user, env=self._environment, stdout=log, stderr=log, check=True, cwd=folder
            )
        self.process = self._start()

    def _start(self) -> subprocess.Popen[bytes]:
        settings = {"listen_addresses": "", "unix_socket_directories": str(self.folder), "shared_buffers": "32MB"}
        flags = [flag for name, value in settings.items() for flag in ("-c", f"{name}={value}")]
        with (self.folder / "log").open("ab") as log:
            return subprocess.Popen(
                [self._programs / "postgres", "-D", self.folder / "cluster", *flags],
                user=self._user,
                env=self._environment,
                stdout=log,
                stderr=log,
                cwd=self.folder,
            )

    def wait(self) -> None:
        """Wait until it answers. Raises RuntimeError where it ended, or takes long."""
        _wait_until_ready(self.folder, self.process, self.folder / "log")

    def stop(self, how: signal.Signals) -> None:
        """Stop it: SIGQUIT is `pg_ctl stop -m immediate`, SIGKILL what a system without memory does."""
        self.process.send_signal(how)
        self.process.wait()

    def start(self) -> None:
        """Start it again, as soon as nobody of the one before is left."""
        for _ in range(_PATIENCE):
            if self.process.poll() is not None:  # else it is on its way, on a machine that does much else
                self.process = self._start()
            try:
                self.wait()
            except RuntimeError:
                time.sleep(0.5)
            else:
                return
        raise RuntimeError((self.folder / "log").read_text(errors="replace")[-2_000:])


@contextmanager
def serve(programs: Path) -> Iterator[Server]:
    """Run a server until the block ends."""
    folder = Path(tempfile.mkdtemp(prefix="pg"))
    server = Server(programs, folder)
    try:
        server.start()
        yield server
    finally:
        server.stop(signal.SIGQUIT)
        shutil.rmtree(folder, ignore_errors=True)
