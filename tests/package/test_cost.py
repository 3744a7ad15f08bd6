"""What it costs to begin: importing scythe, and asking a command for help.

CPU time, children included, the best of some runs. It is measured against Python itself importing a part of its own
library in the same test, so that a slow or busy machine makes both slower and decides nothing.
"""

import os
import resource
import subprocess
import sys

import pytest

from scythe.cli.main import VERBS

# What this takes where nothing else runs, of the CPU that the limits are meant for; start of Python included.
YARDSTICK, YARDSTICK_S = "import asyncio, decimal, unittest.mock, xmlrpc.client", 0.075
IMPORT_S, HELP_S, VERB_HELP_S = 0.100, 0.200, 0.400
RUNS = 5


def cpu_s(*arguments: str) -> float:
    """Return the CPU seconds that a run of Python takes."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("COV_")}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([sys.executable, *arguments], capture_output=True, check=True, env=kept)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert arguments[-1] != "--help" or b"Usage: scythe" in done.stdout
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@pytest.fixture(scope="module")
def slowness() -> float:
    """How many times as long as meant everything takes here and now; never less than one."""
    return max(1.0, min(cpu_s("-c", YARDSTICK) for _ in range(RUNS)) / YARDSTICK_S)


def best(limit_s: float, *arguments: str) -> float:
    """Return the least that a run takes; no more runs are made than it needs to be within the limit."""
    least = cpu_s(*arguments)
    for _ in range(RUNS - 1):
        if least < limit_s:
            break
        least = min(least, cpu_s(*arguments))
    return least


def test_importing_scythe_takes_less_than_a_tenth_of_a_second(slowness: float) -> None:
    assert best(IMPORT_S * slowness, "-c", "import scythe") < IMPORT_S * slowness


def test_help_takes_less_than_a_fifth_of_a_second(slowness: float) -> None:
    assert best(HELP_S * slowness, "-m", "scythe", "--help") < HELP_S * slowness


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_explains_itself_in_two_fifths_of_a_second(slowness: float, verb: str) -> None:
    assert best(VERB_HELP_S * slowness, "-m", "scythe", verb, "--help") < VERB_HELP_S * slowness


def test_what_bench_repeats_so_that_its_help_is_quick_is_still_true() -> None:
    from bench.command import CRAWLED_PAGES
    from bench.crawl import PAGES

    assert CRAWLED_PAGES == PAGES
