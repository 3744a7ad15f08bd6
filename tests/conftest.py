"""What all tests share: skips are shown, and on CI a skip is a failure."""

from __future__ import annotations

import os
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def root() -> Path:
    """The top of the source tree."""
    return ROOT


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--accept", action="store_true", help="take present output as the new golden output")


@pytest.fixture
def accept(request: pytest.FixtureRequest) -> bool:
    """True when golden files are to be rewritten."""
    return bool(request.config.getoption("--accept"))


def pytest_terminal_summary(terminalreporter: Any, exitstatus: int, config: pytest.Config) -> None:
    skipped = len(terminalreporter.stats.get("skipped", []))
    terminalreporter.write_line(f"skipped tests: {skipped}")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Turn a skip into a failure on CI: there everything a test needs is installed, so a skip hides something."""
    report = yield
    if os.environ.get("CI") and report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"skipped on CI: {report.longrepr}"
    return report
