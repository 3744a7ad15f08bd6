"""What long-running processes do about their memory. In processes of their own: what is frozen stays so."""

import ctypes
import subprocess
import sys
from pathlib import Path
from threading import Thread

import pytest
from click.testing import CliRunner

from scythe.cli.main import load_verb

# Every hundredth of many blocks stays: what is free lies between them, and the C library would keep it.
_FRAGMENTED = """
from scythe.memory import tidy

def resident():
    return int(open("/proc/self/statm").read().split()[1]) * 4_096

blocks = [bytes(2_000) for _ in range(50_000)]
blocks = blocks[::100]
before = resident()
tidy()
print(before - resident())
"""

# Garbage that survived the younger generations of the collector, which then does not look at it for long.
_GARBAGE = """
import gc, time, weakref
from scythe.memory import trimmed, tidy

class Thing:
    pass

def forget():
    thing = Thing()
    thing.self = thing
    gc.collect(1)
    gc.collect(1)
    return weakref.ref(thing)

tidy()
gc.disable()
known = [forget(), forget()]
with trimmed(0.01):
    until = time.monotonic() + 30
    while any(one() is not None for one in known) and time.monotonic() < until:
        time.sleep(0.01)
    print(*(one() for one in known), gc.get_freeze_count() > 1_000)
"""


def run(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "malloc_trim"), reason="the C library has no such call")
def test_memory_that_was_freed_is_given_back() -> None:
    assert int(run(_FRAGMENTED)) > 50_000_000


def test_old_garbage_is_found() -> None:
    assert run(_GARBAGE) == "None None True"


@pytest.mark.parametrize(
    ("verb", "arguments"),
    [
        ("crawl", ["ftp://nowhere/"]),
        ("watch", ["--archive", "none.db"]),
        ("ui", ["none"]),
        ("worker", ["--archive", "none.db"]),
    ],
)
def test_commands_that_may_run_for_weeks_are_trimmed(
    verb: str, arguments: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    started: list[str] = []
    start = Thread.start

    def note(thread: Thread) -> None:
        started.append(thread.name)
        start(thread)

    monkeypatch.setattr(Thread, "start", note)
    monkeypatch.chdir(tmp_path)
    assert CliRunner().invoke(load_verb(verb), arguments).exit_code
    assert "scythe-tidy" in started
