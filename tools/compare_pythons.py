"""Do several Pythons make the same of the same pages? `python -m tools.compare_pythons PYTHON PYTHON ... --pages 1000`.

Each PYTHON is an interpreter of an environment that has scythe and pytest, as `tools.test_installed` leaves them. Every
one learns a site and reads and cuts pages, ordinary and hostile ones, in eight threads and with a hash seed of its own;
what comes out is compared as digests. The answer is 1 where two of them differ.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CODE = """
import platform, scythe
from tests.faults.test_determinism import digests
print(platform.python_version(), scythe.__file__, *digests({pages}, 8))
"""


def ask(python: str, pages: int, seed: int) -> tuple[str, str, list[str]]:
    """Return the version of a Python, which scythe it has, and its digests."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    environment = kept | {"PYTHONHASHSEED": str(seed)}
    command = [python, "-c", CODE.format(pages=pages)]
    done = subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    version, home, *found = done.stdout.split()
    return version, home, found


def main(arguments: Sequence[str] | None = None) -> int:
    """Ask every Python and say whether they agree."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pythons", nargs="+", metavar="PYTHON")
    parser.add_argument("--pages", type=int, default=1_000)
    given = parser.parse_args(arguments)
    first: list[str] = []
    differing = 0
    for seed, python in enumerate(given.pythons, start=1):
        version, home, found = ask(python, given.pages, seed)
        first = first or found
        unlike = sum(one != other for one, other in zip(first, found, strict=True))
        differing += unlike
        print(f"Python {version}, {home}: {len(found)} digests, {unlike} unlike those of the first", flush=True)
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
