"""Real Scrapy projects for the tests: files come in, a run of `scrapy` in a process of its own goes out."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SETTINGS = """
BOT_NAME = "stock"
SPIDER_MODULES = ["stock.spiders"]
TELNETCONSOLE_ENABLED = False
"""


@dataclass(frozen=True)
class Project:
    """A folder with a project in it."""

    path: Path

    def scrapy(self, *arguments: str) -> str:
        """Run a command and return what it said on both channels; one that fails, or complains, fails the test."""
        command = [sys.executable, "-W", "error::DeprecationWarning:scythe", "-m", "scrapy", *arguments]
        done = subprocess.run(
            command,
            cwd=self.path,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
            env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
        )
        assert done.returncode == 0, done.stdout[-4_000:]
        assert "Traceback" not in done.stdout, done.stdout[-4_000:]
        return done.stdout

    def rows(self, name: str) -> list[dict[str, Any]]:
        """Return the lines of a feed."""
        return [json.loads(line) for line in (self.path / name).read_text(encoding="utf-8").splitlines()]


def make_project(path: Path, spiders: str, settings: str = "") -> Project:
    """Write what `scrapy startproject` writes, as far as it matters."""
    (path / "stock" / "spiders").mkdir(parents=True)
    (path / "scrapy.cfg").write_text("[settings]\ndefault = stock.settings\n")
    (path / "stock" / "__init__.py").write_text("")
    (path / "stock" / "spiders" / "__init__.py").write_text(spiders)
    (path / "stock" / "settings.py").write_text(SETTINGS + settings)
    return Project(path)


def stat(said: str, name: str) -> int:
    """Return a figure of the statistics that Scrapy says at the end; 0 where it is not there."""
    _, found, rest = said.partition(f"'{name}': ")
    return int(rest.partition(",")[0].partition("}")[0]) if found else 0
