"""Values in one form: prices, codes, availability."""

from __future__ import annotations

from scythe.reading.attributes.values import (
    _SAME_STATES,
    state_of,
)


def test_every_other_word_for_a_state_is_known() -> None:
    for word, state in _SAME_STATES.items():
        assert state_of(word) == state
