"""Run tests with the extension built for ASan and UBSan: `python -m tools.sanitize [TEST ...]`.

An access outside of an array or behaviour that C does not define ends the run with a report. The extension is built
into build/sanitized; the plugin below has the tests use it, those that start other processes excepted.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

from hatch_build import compile_extension

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "build" / "sanitized" / "_native.abi3.so"
FLAGS = (
    "-O1", "-g", "-fno-omit-frame-pointer", "-U_FORTIFY_SOURCE",
    "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined",
)  # fmt: skip
# what reaches the extension: the map of a page and what is cut of it, links, scoring
TESTS = (
    "tests/site", "tests/page", "tests/property/test_cut.py",
    "tests/property/test_utf8.py", "tests/reading/text", "tests/reading/test_forest.py",
    "tests/reading/lists/test_list_features.py",
)  # fmt: skip
SLOW = "not slow and not fault and not soak"  # tests that limit time: ours takes several times as much here


def pytest_load_initial_conftests() -> None:
    """Load the sanitized extension in place of the installed one, before anything asks for it."""
    spec = importlib.util.spec_from_file_location("scythe._native", TARGET)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    sys.modules["scythe._native"] = module


def main(arguments: list[str]) -> int:
    """Build the extension and run tests with it."""
    why = compile_extension(TARGET, *FLAGS)
    if why:
        print(f"not built: {why}", file=sys.stderr)
        return 2
    compiler = os.environ.get("CC", "cc")
    asan = subprocess.run([compiler, "-print-file-name=libasan.so"], capture_output=True, text=True, check=True)
    environment = os.environ | {
        "LD_PRELOAD": asan.stdout.strip(),
        "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1",  # Python keeps much until it ends
        "PYTHONMALLOC": "malloc",  # arrays side by side in one of Python's own blocks would hide each other's ends
    }
    command = [sys.executable, "-m", "pytest", "-q", "-p", "tools.sanitize", "-p", "no:xdist", "-m", SLOW]
    return subprocess.run([*command, *(arguments or TESTS)], cwd=ROOT, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
