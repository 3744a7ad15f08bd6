"""What tests of faults share."""

from __future__ import annotations

import pytest

from scythe.fetch import guard


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> str:
    """Let 127.0.0.2, and nothing else of this machine, pass for a public address."""
    judge = guard.why_closed
    monkeypatch.setattr(guard, "why_closed", lambda address: None if address == "127.0.0.2" else judge(address))
    return "127.0.0.2"
