"""What a process that extracts does about its memory."""

from __future__ import annotations

import ctypes
import subprocess
import sys

import pytest

# Every hundredth of many blocks stays: what is free lies between them, and the C library would keep it.
_FRAGMENTED = """
from scythe.crawling.bounds import give_back_memory

def resident():
    return int(open("/proc/self/statm").read().split()[1]) * 4_096

blocks = [bytes(2_000) for _ in range(50_000)]
blocks = blocks[::100]
before = resident()
give_back_memory()
print(before - resident())
"""


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "malloc_trim"), reason="the C library has no such call")
def test_memory_that_was_freed_is_given_back() -> None:
    said = subprocess.run([sys.executable, "-c", _FRAGMENTED], capture_output=True, text=True, check=True)
    assert int(said.stdout) > 50_000_000
