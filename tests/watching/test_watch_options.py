"""Options of watches, as they are kept in archives."""

from pathlib import Path

import pytest

from scythe.errors import BadInput
from scythe.watch_model import Goals
from scythe.watching.list_choice import Notes
from scythe.watching.list_identity import MOST, Chosen
from scythe.watching.watch import watch
from scythe.watching.watch_options import ListOptions, WatchOptions

MANY = (Chosen(place=1),) * (MOST + 1)


def test_options_survive_an_archive() -> None:
    options = ListOptions("ses", Goals(miss=0.05, max_delay_s=3_600.0), 7, follow=True, parts=("text",))
    assert ListOptions.from_json(options.to_json()) == options


@pytest.mark.parametrize("text", ["", "[]", "{", '{"policy": "astrology"}', '{"goals": {"miss": 7}}', '{"parts": 3}'])
def test_options_that_are_damaged_are_those_by_default(text: str) -> None:
    assert ListOptions.from_json(text) == ListOptions()


def test_options_of_a_newer_version_keep_what_is_known_here() -> None:
    assert ListOptions.from_json('{"follow": true, "colour": "red", "goals": {"mood": 1}}') == ListOptions(follow=True)


@pytest.mark.parametrize(
    "wrong", [{"policy": "astrology"}, {"older_pages": -1}, {"parts": ("smell",)}, {"regions": MANY}, {"others": MANY}]
)
def test_options_that_cannot_be_meant_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(BadInput):
        ListOptions(**wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", [{"delay": -1.0}, {"workers": 0}, {"timeout_s": float("nan")}])
def test_a_watch_that_cannot_be_meant_is_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(BadInput):
        WatchOptions(**wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "wrong", [{"miss": 0.0}, {"miss": 1.0}, {"max_delay_s": 0.0}, {"floor_s": 9e9}, {"delay_share": 1.0}]
)
def test_goals_that_cannot_be_meant_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(BadInput):
        Goals(**wrong)


def test_older_pages_that_were_of_no_use_twice_are_not_asked_for_again() -> None:
    notes = Notes()
    notes.note_older(3, helped=False)
    once = notes.may_have_older(3)
    notes.note_older(3, helped=False)
    kept = Notes.from_json(notes.to_json())
    assert (once, kept.may_have_older(3), kept.may_have_older(4)) == (True, False, True)


def test_notes_survive_an_archive_and_damage_makes_them_none() -> None:
    notes = Notes({1: 1}, {2}, {5: 3})
    assert Notes.from_json(notes.to_json()) == notes
    assert Notes.from_json('{"idle": [1]}') == Notes()


def test_one_text_in_place_of_a_list_of_sites_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="a list of addresses, not one text"):
        list(watch("https://example.org/", archive=tmp_path / "a.db"))
