"""Worker processes whose answers are written by a test."""

import sys
from pathlib import Path

import pytest

_SCRIPT = """#!{python} -I
import json, os, signal, struct, sys
from pathlib import Path

def send(head):
    text = json.dumps({{**head, "parts": []}}).encode()
    sys.stdout.buffer.write(struct.pack(">II", len(text), 0) + text)
    sys.stdout.buffer.flush()

def take():
    lengths = sys.stdin.buffer.read(8)
    return json.loads(sys.stdin.buffer.read(struct.unpack(">II", lengths)[0])) if lengths else None

def note(at):
    Path(task["note"]).write_bytes(struct.pack("<qq", at, 0))

def die(name):
    os.kill(os.getpid(), getattr(signal, name))

tasks = Path({tasks!r})
send({{"ready": 0}})
while (task := take()) is not None:
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
