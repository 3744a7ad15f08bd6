"""Every verb that writes files may be killed at any moment: `tests.faults.verb_kills` does it and compares."""

import pytest
from tests.faults.verb_kills import VERBS, try_verbs

pytestmark = [pytest.mark.fault, pytest.mark.slow]
FINE = {"killed", "written before the kill", "run again"}


@pytest.mark.parametrize("kills", [len(VERBS), pytest.param(200, marks=pytest.mark.soak)])
def test_what_a_killed_verb_was_to_write_is_as_before_or_whole(kills: int) -> None:
    seen = try_verbs(kills, 3)
    assert {name: count for name, count in seen.items() if count.keys() - FINE} == {}
    # how many are still running when they are killed depends on the machine
    assert sum(count.get("killed", 0) for count in seen.values()) > 0
