"""What it costs to begin, counted in modules that are loaded: the same on every machine, busy or not."""

import subprocess
import sys

import pytest

from scythe.cli.main import VERBS

# 29, 108 and up to 443 (annotate) when this was written; other versions of Python load a few more by themselves
IMPORT, HELP, VERB_HELP = 50, 150, 520
CODE = """
import atexit, runpy, sys
loaded = len(sys.modules)
atexit.register(lambda: print(len(sys.modules) - loaded, file=sys.stderr))
sys.argv = ["scythe", *sys.argv[1:]]
"""
RUN, LOAD = "runpy.run_module('scythe', run_name='__main__')", "import scythe"


def modules_loaded(code: str, *arguments: str) -> int:
    """Return how many modules a run of Python loads, its own beginning left out."""
    done = subprocess.run([sys.executable, "-c", CODE + code, *arguments], capture_output=True, text=True, check=True)
    assert "--help" not in arguments or "Usage: scythe" in done.stdout
    return int(done.stderr.split()[-1])


def test_importing_scythe_loads_few_modules() -> None:
    assert modules_loaded(LOAD) <= IMPORT


def test_help_loads_no_more_than_it_says() -> None:
    assert modules_loaded(RUN, "--help") <= HELP


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_explains_itself_without_what_it_works_with(verb: str) -> None:
    assert modules_loaded(RUN, verb, "--help") <= VERB_HELP


def test_what_bench_repeats_so_that_its_help_is_quick_is_still_true() -> None:
    from bench.command import CRAWLED_PAGES
    from bench.crawl import PAGES

    assert CRAWLED_PAGES == PAGES
