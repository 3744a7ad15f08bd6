from __future__ import annotations

import unicodedata

from scythe.cli.ending import neutralise

TURNING = frozenset(("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"))


def test_nothing_that_steers_a_terminal_or_turns_a_line_is_left() -> None:
    shown = neutralise("".join(map(chr, range(0x110000))))
    steering = {char for char in shown if unicodedata.category(char) in ("Cc", "Cs")}
    turning = {char for char in shown if unicodedata.bidirectional(char) in TURNING}
    assert (steering, turning) == ({"\t", "\n"}, set())
    assert len(shown) == 0x110000


def test_text_of_any_script_stays_as_it_is() -> None:
    text = "a\tb\n\u05e9\u05dc\u05d5\u05dd\u200f (\u200ex) \u0645\u200c\u0646 \u4e2d \U0001f468\u200d\U0001f469 e\u0301"
    assert neutralise(text) == text
