"""What tests of faults share."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from bench.trials.harness import new_schemas

from scythe.fetch import guard


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> str:
    """Let 127.0.0.2, and nothing else of this machine, pass for a public address."""
    judge = guard.why_closed
    monkeypatch.setattr(guard, "why_closed", lambda address: None if address == "127.0.0.2" else judge(address))
    return "127.0.0.2"


@pytest.fixture(params=["sqlite", "postgresql"])
def archives(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Places for archives, each new, in each kind of database."""
    if request.param == "sqlite":
        return (str(tmp_path / f"archive-{number}.db") for number in count())
    return new_schemas(request.getfixturevalue("postgres_folder"))
