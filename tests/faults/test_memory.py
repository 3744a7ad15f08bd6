"""Memory of large pages, measured in a process of its own."""

import subprocess
import sys

import pytest

pytestmark = [
    pytest.mark.fault,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="RLIMIT_AS and ru_maxrss in KiB are Linux"),
]

CHILD = """
import resource, sys, time
megabytes, limit = int(sys.argv[1]), int(sys.argv[2])
resource.setrlimit(resource.RLIMIT_AS, (limit * 1_000_000, limit * 1_000_000))
from scythe.page import Page
kind = sys.argv[3]
paragraph = b"<p class='text'>A plain sentence of the kind that people write, with <a href='/x'>a link</a> in it, and "
paragraph += b"a second one that goes on for a while so that the paragraph has an ordinary length.</p>\\n"
body = {
    "paragraphs": lambda n: paragraph * (n // len(paragraph)),
    "text": lambda n: b"<p>" + b"words " * (n // 6),
    "attribute": lambda n: b"<p title='" + b"x" * n + b"'>text",
    "random": lambda n: __import__("random").Random(7).randbytes(n),
}[kind](megabytes * 1_000_000)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
start = time.process_time()
page = Page.from_bytes(body)
del body
blocks = page.blocks
# not ru_maxrss: that one remembers the size of the process that started this one
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(len(blocks), time.process_time() - start, int(peak.split()[1]) // 1024)
"""


def measure(kind: str, megabytes: int, limit_mb: int) -> tuple[int, float, int]:
    done = subprocess.run(
        [sys.executable, "-c", CHILD, str(megabytes), str(limit_mb), kind], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr[-500:]
    blocks, seconds, peak = done.stdout.split()
    return int(blocks), float(seconds), int(peak)


def test_ten_megabytes_of_ordinary_page_stay_below_250_megabytes() -> None:
    blocks, _, peak = measure("paragraphs", 10, 1_000)
    assert blocks > 40_000
    assert peak < 250


@pytest.mark.parametrize(("kind", "megabytes"), [("text", 10), ("attribute", 10), ("random", 1)])
def test_one_huge_thing_costs_a_few_times_its_size(kind: str, megabytes: int) -> None:
    _, _, peak = measure(kind, megabytes, 1_000)
    assert peak < 100 + 12 * megabytes


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["paragraphs", "text"])
def test_fifty_megabytes_are_read_within_a_minute_and_a_gigabyte(kind: str) -> None:
    _, seconds, peak = measure(kind, 50, 2_000)
    assert seconds < 60  # of CPU: 3 on an idle core
    assert peak < 1_000


ITEMS = """
import time
import scythe
items = "".join(f"<li><a href=/{i}>Item {i}</a> <b>{i} EUR</b></li>" for i in range(100_000))
start = time.process_time()
regions = scythe.read_lists(f"<h1>All items</h1><ul>{items}</ul>", url="https://example.org/")
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(len(regions[0].records), time.process_time() - start, int(peak.split()[1]) // 1024)
"""


@pytest.mark.soak
def test_a_hundred_thousand_records_take_ten_seconds_and_a_gigabyte_at_most() -> None:
    done = subprocess.run([sys.executable, "-c", ITEMS], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-500:]
    records, seconds, peak = done.stdout.split()
    assert int(records) == 100_000
    assert float(seconds) < 10
    assert int(peak) < 1_000
