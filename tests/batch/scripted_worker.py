"""Worker processes whose answers are written by a test."""

import sys
from pathlib import Path

import pytest

_SCRIPT = """#!{python} -I
import json, os, signal, struct, sys
from pathlib import Path
from msgspec import msgpack

def send(answer, kind="answer"):
    frame = msgpack.encode((kind, answer))
    sys.stdout.buffer.write(struct.pack(">I", len(frame)) + frame)
    sys.stdout.buffer.flush()

def take():
    length = sys.stdin.buffer.read(4)
    return msgpack.decode(sys.stdin.buffer.read(struct.unpack(">I", length)[0]), strict=False) if length else None

def note(at):
    Path(task["note"]).write_bytes(struct.pack("<qq", at, 0))

def die(name):
    os.kill(os.getpid(), getattr(signal, name))

tasks = Path({tasks!r})
send(0, "ready")
while (message := take()) is not None:
    kind, task = message
    with tasks.open("a") as lines:
        lines.write(json.dumps(task) + "\\n")
    count = len(tasks.read_text().splitlines())
{code}
"""


def script_worker(folder: Path, monkeypatch: pytest.MonkeyPatch, *lines: str) -> Path:
    """Let processes run these lines for every `task` in place of a worker's code; return the list of their tasks."""
    path, tasks = folder / "worker", folder / "tasks.jsonl"
    code = "\n".join(f"    {line}" for line in lines)
    path.write_text(_SCRIPT.format(python=sys.executable, tasks=str(tasks), code=code))
    path.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(path))
    return tasks
