import io
import unicodedata
from contextlib import redirect_stdout

import pytest
import typer

from scythe.cli.console import attempt, neutralise, plain_errors, quiet_ends, take_any_text
from scythe.errors import ArchiveFailed, BadInput, MissingExtra

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


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (BadInput("not HTML"), "not HTML"),
        (OSError(28, "No space left on device"), "cannot be written: No space left on device"),
        (OSError("the disk is gone"), "cannot be written: the disk is gone"),
        (KeyError("x"), "a bug in scythe, please report it with the page: KeyError: 'x'"),
    ],
)
def test_what_goes_wrong_with_a_page_is_told_and_the_run_goes_on(error: Exception, said: str) -> None:
    def fail() -> None:
        raise error

    assert attempt(fail) == (None, said)
    assert attempt(lambda: 7) == (7, "")


@pytest.mark.parametrize("error", [BrokenPipeError(), KeyboardInterrupt()])
def test_who_leaves_ends_the_whole_run(error: BaseException) -> None:
    def fail() -> None:
        raise error

    with pytest.raises(type(error)):
        attempt(fail)
    with pytest.raises(type(error)), plain_errors():
        fail()


@pytest.mark.parametrize(
    ("error", "code"),
    [(BadInput("what"), 2), (MissingExtra("what"), 2), (ArchiveFailed("what"), 1), (OSError("what"), 1)],
)
def test_an_error_that_is_meant_is_one_line_and_an_exit_code(
    error: Exception, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(typer.Exit) as end, plain_errors():
        raise error
    assert end.value.exit_code == code
    assert capsys.readouterr().err == "scythe: what\n"


def test_an_interrupt_is_told_without_a_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(typer.Exit) as end, quiet_ends():
        raise KeyboardInterrupt
    assert (end.value.exit_code, capsys.readouterr().err) == (130, "scythe: interrupted\n")


def test_output_that_lacks_a_letter_gets_a_mark_in_its_place() -> None:
    narrow = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    with redirect_stdout(narrow):
        take_any_text()
        print("Köln", flush=True)
    assert narrow.buffer.getvalue() == b"K?ln\n"  # type: ignore[attr-defined]
    plain = io.StringIO()
    with redirect_stdout(plain):
        take_any_text()
        print("Köln")
    assert plain.getvalue() == "Köln\n"
