import io
import os

import pytest
from rich.console import Console
from rich.table import Table

from scythe.cli.demo_acts import INDENT, Paper, Stage, lap_lines
from scythe.demo.crawl_results import Lap
from scythe.demo.crawl_steps import Step


def stage(*, encoding: str = "utf-8", terminal: bool = False, width: int = 40) -> tuple[Stage, io.BytesIO]:
    out = io.BytesIO()
    file = io.TextIOWrapper(out, encoding=encoding, write_through=True)
    return Stage(Console(file=file, width=width, force_terminal=terminal, highlight=False)), out


STEPS = [Step("/", how, design, 0.5) for design in (0, 1) for how in ("cold", "cut", "mixed", "tree")]


def test_acts_are_numbered_and_what_they_say_is_indented_within_the_width() -> None:
    played, out = stage()
    played.begin("First", "word " * 30)
    played.begin("Second")
    played.say_short("x" * 100)
    lines = out.getvalue().decode().splitlines()
    assert [line for line in lines if line[:1].isdigit()] == ["1. First", "2. Second"]
    assert all(line.startswith(" " * INDENT) for line in lines if line and not line[:1].isdigit())
    assert max(map(len, lines)) <= 40
    assert not any(line.endswith(" ") for line in lines)
    assert lines[-1].endswith("…")


def test_without_a_terminal_there_are_no_control_characters() -> None:
    played, out = stage()
    played.say("a title with \x1b[31m colour", "bold red")
    played.say(played.strip(STEPS))
    with played.busy("for long"):
        pass
    table = Table("a")
    table.add_row("b")
    played.show(table)
    assert b"\x1b" not in out.getvalue()
    assert "│" in out.getvalue().decode()


def test_no_color_takes_the_colours_away(monkeypatch: pytest.MonkeyPatch) -> None:
    played, out = stage(terminal=True)
    played.say(played.strip(STEPS))
    assert b"32m" in out.getvalue()
    monkeypatch.setenv("NO_COLOR", "1")
    played, out = stage(terminal=True)
    played.say(played.strip(STEPS))
    assert b"32m" not in out.getvalue()


def test_where_there_are_only_plain_letters_marks_are_such() -> None:
    played, out = stage(encoding="ascii")
    played.say(played.strip(STEPS))
    played.say(played.legend(with_redesign=True))
    for line in lap_lines(Lap("all", 2, 0.001, 0.002), played.width, is_plain=played.is_plain):
        played.say(line)
    text = out.getvalue().decode("ascii")
    assert ".#+-|.#+-" in text
    assert "tree ########" in text
    assert "| redesign" in " ".join(text.split())


def test_on_a_large_site_a_mark_stands_for_several_pages() -> None:
    played, _ = stage()
    strip = played.strip([Step("/", "cut" if at < 5_000 else "tree", int(at >= 5_000), 1.0) for at in range(10_000)])
    assert len(strip.plain) <= 5 * played.width + 1
    assert strip.plain.count("█") == strip.plain.count("░")
    assert strip.plain.count("│") == 1


def test_a_reader_that_left_is_told_from_a_failure() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with pytest.raises(BrokenPipeError), open(writer, "w", encoding="utf-8") as file:
        Stage(Paper(file=file)).begin("First")
