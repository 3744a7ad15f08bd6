"""A plug-in for pytest: tests fail where a module of scythe comes from anywhere but the environment they run in."""

from __future__ import annotations

import sys
import sysconfig
from pathlib import Path

import pytest


def strangers() -> list[str]:
    """Return the modules of scythe that were imported from elsewhere."""
    homes = [Path(sysconfig.get_path(name)).resolve() for name in ("purelib", "platlib")]
    loaded = {name: getattr(module, "__file__", None) for name, module in dict(sys.modules).items()}
    ours = {name: path for name, path in loaded.items() if name.split(".")[0] == "scythe" and path}
    return [f"{name}: {path}" for name, path in ours.items() if not _is_in(Path(path).resolve(), homes)]


def _is_in(path: Path, homes: list[Path]) -> bool:
    return any(path.is_relative_to(home) for home in homes)


def pytest_report_header() -> str:
    import scythe

    return f"scythe is {Path(scythe.__file__).parent}"


def pytest_sessionfinish(session: pytest.Session) -> None:
    found = strangers()
    if found or "scythe" not in sys.modules:
        session.exitstatus = pytest.ExitCode.INTERNAL_ERROR
        raise pytest.UsageError(f"not the installed scythe was tested: {found}")
