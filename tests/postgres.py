"""A PostgreSQL server of our own for the time of a test run: its programs are looked for, none is installed."""

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_USER = "postgres"


def find_programs() -> Path | None:
    """Return the folder with `initdb` and `postgres`, or None where PostgreSQL is not installed."""
    folders = [Path(found).resolve().parent for found in [shutil.which("initdb")] if found]
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((folder for folder in folders if (folder / "initdb").exists() and (folder / "postgres").exists()), None)


@contextmanager
def serve_postgres(programs: Path) -> Iterator[str]:
    """Run a server until the block ends; yield the folder of its socket. It writes nothing to disk for good."""
    folder = Path(tempfile.mkdtemp(prefix="pg"))
    user = _USER if os.geteuid() == 0 else None  # the server refuses to be root
    if user:
        shutil.chown(folder, user, user)
    log = folder / "log"
    with log.open("wb") as out:
        initialise = [programs / "initdb", "-D", folder / "cluster", "-U", _USER, "-A", "trust", "-E", "UTF8", "-N"]
        environment = {"LC_ALL": "C", "PATH": os.environ.get("PATH", "")}
        subprocess.run(initialise, user=user, env=environment, stdout=out, stderr=out, check=True, cwd=folder)
        settings = {
            "listen_addresses": "",
            "unix_socket_directories": str(folder),
            "fsync": "off",
            "full_page_writes": "off",
            "max_connections": "60",
            "shared_buffers": "32MB",
        }
        flags = [flag for name, value in settings.items() for flag in ("-c", f"{name}={value}")]
        server = subprocess.Popen(
            [programs / "postgres", "-D", folder / "cluster", *flags],
            user=user,
            env=environment,
            stdout=out,
            stderr=out,
            cwd=folder,
        )
    try:
        _wait_until_ready(folder, server, log)
        yield str(folder)
    finally:
        server.terminate()
        try:
            server.wait(5)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()
        shutil.rmtree(folder, ignore_errors=True)


def _wait_until_ready(folder: Path, server: subprocess.Popen[bytes], log: Path) -> None:
    import psycopg

    for _ in range(1_200):
        if server.poll() is not None:
            raise RuntimeError(log.read_text(encoding="utf-8", errors="replace"))
        try:
            psycopg.connect(host=str(folder), user=_USER, dbname=_USER).close()
        except psycopg.OperationalError:
            time.sleep(0.05)
        else:
            return
    raise RuntimeError("PostgreSQL did not start within a minute")


def command(folder: str, statement: str) -> None:
    """Run one statement outside of a transaction."""
    import psycopg

    with psycopg.connect(host=folder, user=_USER, dbname=_USER, autocommit=True) as connection:
        connection.execute(statement)


def address(folder: str, schema: str) -> str:
    """Return the address of a schema as a user would write it."""
    return f"postgresql://{_USER}@/{_USER}?host={folder}&options=-csearch_path%3D{schema}"
