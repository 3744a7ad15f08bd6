"""What `pip install webscythe` brings: the core, and none of what the extras are for."""

import re
import subprocess
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, distribution, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement

HEAVY = """
duckdb fastwarc itemadapter lxml mcp pandas playwright polars procrastinate psycopg psycopg-binary psycopg-pool pyarrow
ray scikit-learn scipy scrapy scrapy-poet torch twisted web-poet
""".split()
TOO_LATE = "scrapy twisted ray pyarrow procrastinate psycopg fastwarc pandas polars duckdb web_poet scrapy_poet".split()


def needed(root: Path) -> set[str]:
    """Return everything that the core needs, directly or by way of others, as installed here."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    waiting = [Requirement(line) for line in project["dependencies"]]
    found: set[str] = set()
    while waiting:
        one = waiting.pop()
        name = canonical(one.name)
        if name in found or (one.marker and not one.marker.evaluate({"extra": ""})):
            continue
        found.add(name)
        try:
            lines = requires(name) or []
        except PackageNotFoundError:
            pytest.fail(f"{name} is needed and not installed")
        waiting += [each for each in map(Requirement, lines) if is_wanted(each, one.extras)]
    return found


def is_wanted(requirement: Requirement, extras: set[str]) -> bool:
    marker = requirement.marker
    return marker is None or any(marker.evaluate({"extra": extra}) for extra in (*extras, ""))


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_the_core_needs_nothing_of_the_extras(root: Path) -> None:
    core = needed(root)
    assert "selectolax" in core
    assert "starlette" in core
    assert core & set(HEAVY) == set()
    assert len(core) <= 45  # each one more is something that may break for everybody


def test_the_core_takes_less_than_200_megabytes_of_a_disk(root: Path) -> None:
    """docs/how-to/install.md says how much it is; bytecode is not counted."""
    files = [path for name in needed(root) for path in distribution(name).files or [] if path.suffix != ".pyc"]
    sizes = [located.stat().st_size for located in (Path(str(path.locate())) for path in files) if located.is_file()]
    assert 50e6 < sum(sizes) < 200e6


def test_every_module_of_the_core_is_imported_without_the_extras() -> None:
    """What is imported by commands of the core must not load an extra, installed though it is."""
    code = (
        "import sys, scythe, scythe.site.site, scythe.crawling.crawl, scythe.watching.watch, scythe.cli.main\n"
        "from scythe.cli.main import VERBS, load_verb\n"
        "for verb in VERBS: load_verb(verb)\n"
        f"print([name for name in {TOO_LATE!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
