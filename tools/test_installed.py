"""Run tests against scythe as others install it: in an environment of its own, away from the source tree.

    python -m tools.test_installed build/wheel --wheel dist       what was built, with the newest dependencies
    python -m tools.test_installed build/oldest --oldest          the oldest dependencies that pyproject.toml allows
    python -m tools.test_installed build/3.13 --python 3.13       another Python

Tests, and what they read, are copied to a folder without `src`; `tools.only_installed` sees to it that every module of
scythe that a test imports is the installed one. What follows `--` goes to pytest; else a part of the tests is run.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tools.source_files import source_files

ROOT = Path(__file__).resolve().parent.parent
# what tests of the core import besides it
TEST_TOOLS = ["packaging", "pytest>=8.3", "pytest-xdist>=3.7", "hypothesis>=6.100", "trustme>=1.1", "hatchling>=1.24"]
TESTS = """
tests/test_reader.py tests/site/test_site.py tests/site/test_site_records.py tests/output/test_export.py tests/page
tests/reading tests/site tests/schedule
tests/archive/test_store.py tests/crawling/test_politeness.py
tests/fetch/test_client.py tests/fetch/test_robots.py tests/watching/test_hooks.py tests/cli/test_read.py
tests/cli/test_records.py tests/cli/test_completion.py tests/cli/test_export.py tests/cli/test_main.py
""".split()


def make_environment(folder: Path, python: str) -> Path:
    """Make an empty environment and return its Python."""
    run([find_uv(), "venv", "--quiet", "--clear", "--python", python, str(folder)])
    return folder / "bin" / "python"


def find_uv() -> str:
    """Return the program that resolves and installs; it is installed beside this Python where it is missing."""
    beside = Path(sys.executable).parent / "uv"
    if not beside.is_file() and shutil.which("uv") is None:
        run([sys.executable, "-m", "pip", "install", "--quiet", "uv"])
    return str(beside) if beside.is_file() else "uv"


def oldest(python: Path, extras: Sequence[str]) -> list[str]:
    """Return the oldest versions of the direct dependencies that all bounds together allow, each with its number."""
    command = [find_uv(), "pip", "compile", "--quiet", "--resolution", "lowest-direct", "--no-header", "--no-annotate"]
    command += [part for extra in extras for part in ("--extra", extra)]
    done = run([*command, "--python", str(python), "pyproject.toml"])
    return [line for line in done.splitlines() if "==" in line]


def install(python: Path, what: Sequence[str]) -> None:
    """Install into an environment; scythe is built anew, whatever was built of this tree before."""
    command = [find_uv(), "pip", "install", "--quiet", "--refresh-package", "webscythe", "--python", str(python)]
    run([*command, *what])


def copy_tests(folder: Path) -> None:
    """Copy all files of the source tree but `src`: there, only an installed scythe can be imported."""
    shutil.rmtree(folder, ignore_errors=True)
    for name in source_files(new=True):
        if not name.startswith("src/"):
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, target)


def run(command: Sequence[str]) -> str:
    """Run a command in the source tree and return what it printed; what it complains of is shown."""
    return subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout


def run_tests(python: Path, folder: Path, arguments: Sequence[str]) -> int:
    """Run pytest where only the installed scythe can be found; return how it ended."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "COV_"))}
    command = [str(python), "-m", "pytest", "-p", "tools.only_installed", "-p", "no:cacheprovider", *arguments]
    bin_first = f"{python.parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(command, cwd=folder, env=kept | {"PATH": bin_first}, check=False).returncode


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the environment, install, copy the tests, run them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="for the environment and the copy of the tests")
    parser.add_argument("--wheel", type=Path, help="folder with a wheel; otherwise it is built from the source tree")
    parser.add_argument("--oldest", action="store_true", help="take the oldest dependencies that are allowed")
    parser.add_argument("--extra", action="append", default=[], help="install this extra too; may be repeated")
    parser.add_argument("--python", default=sys.executable, help="a version or a path")
    given = parser.parse_args(list(sys.argv[1:] if arguments is None else arguments)[: _end(arguments)])
    python = make_environment(given.folder.absolute() / "venv", given.python)
    wheel = next(iter(sorted(given.wheel.glob("*.whl"))), None) if given.wheel else ROOT
    if wheel is None:
        parser.error(f"{given.wheel} has no wheel: make wheel")
    named = f"webscythe[{','.join(given.extra)}] @ {wheel.absolute().as_uri()}"
    pins = oldest(python, given.extra) if given.oldest else []
    print("\n".join(pins), flush=True)
    install(python, [named, *TEST_TOOLS, *pins])
    copy_tests(given.folder / "tree")
    return run_tests(python, given.folder / "tree", _rest(arguments) or TESTS)


def _end(arguments: Sequence[str] | None) -> int:
    given = list(sys.argv[1:] if arguments is None else arguments)
    return given.index("--") if "--" in given else len(given)


def _rest(arguments: Sequence[str] | None) -> list[str]:
    given = list(sys.argv[1:] if arguments is None else arguments)
    return given[_end(arguments) + 1 :]


if __name__ == "__main__":
    sys.exit(main())
