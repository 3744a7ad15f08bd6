"""Lengths of time as people write them."""

import pytest
import typer

from scythe.cli.options import parse_duration, say_duration


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("45s", 45),
        ("90m", 5_400),
        ("90 min", 5_400),
        ("6h", 21_600),
        ("1d", 86_400),
        ("1.5d", 129_600),
        ("1h30m", 5_400),
        ("2w", 1_209_600),
        (" 2 Days ", 172_800),
    ],
)
def test_what_people_write_is_understood(text: str, seconds: float) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize(
    "text", ["", " ", "6", "h", "6x", "-1h", "0s", "1..5h", "nan", "infd", "1e9w", "h6", "9" * 400 + "d"]
)
def test_anything_else_is_refused_with_examples(text: str) -> None:
    with pytest.raises(typer.BadParameter, match="6h"):
        parse_duration(text)


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(45, "45 s"), (60, "1 min"), (5_400, "1.5 h"), (21_600, "6 h"), (86_399, "1 d"), (1_209_600, "14 d"), (0, "0 s")],
)
def test_seconds_are_said_in_the_unit_they_fill(seconds: float, said: str) -> None:
    assert say_duration(seconds) == said


def test_what_is_said_is_understood_again() -> None:
    assert [parse_duration(say_duration(s)) for s in (45, 600, 5_400, 129_600)] == [45, 600, 5_400, 129_600]
