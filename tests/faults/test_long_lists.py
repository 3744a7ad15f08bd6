"""Lists of very many addresses: memory does not grow with them."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.fault,
    pytest.mark.slow,
    pytest.mark.soak,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/proc/self/status is Linux"),
]

CHILD = """
import atexit, runpy, sys

@atexit.register
def tell() -> None:
    peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
    print(int(peak.split()[1]) // 1024)

runpy.run_module("scythe", run_name="__main__")
"""


def peak_mb(folder: Path, line: str, lines: int) -> int:
    """Return the memory that reading a list took; each line holds its number, and no page can be had."""
    with (folder / "list.txt").open("w") as file:
        file.writelines(line.format(number, number >> 16, number >> 8 & 255, number & 255) for number in range(lines))
    command = [sys.executable, "-c", CHILD, "read", "-i", "list.txt", "-o", "pages.jsonl"]
    with (folder / "said").open("wb") as said:
        done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=said, text=True, check=False)
    assert done.returncode == 1
    with (folder / "said").open("rb") as said:
        assert sum(1 for _ in said) == lines
    return int(done.stdout)


@pytest.mark.parametrize(
    ("line", "lines"),
    [("page/{0}.html\n", 1_000_000), ("http://10.{1}.{2}.{3}/{0}.html\n", 200_000)],
    ids=["bad lines", "hosts that are refused"],
)
def test_memory_does_not_grow_with_a_list(tmp_path: Path, line: str, lines: int) -> None:
    assert peak_mb(tmp_path, line, lines) < peak_mb(tmp_path, line, 10_000) + 15
