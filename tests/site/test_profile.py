"""Profiles survive their file; what is no profile, or not one that can be followed, is refused with a reason."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.faults.profiles import ARTICLE, WHOLE, changed

from scythe.errors import BadInput
from scythe.limits import LIMITS
from scythe.site.profile import VERSION, dump_profile, load_profile, open_profile
from scythe.site.rules import FieldRules, Layout, PlaceRule, Profile
from scythe.site.select import Selector

PROFILE = Profile((ARTICLE,), fields=("title", "text"), learned="2026-01-02T03:04:05+00:00")


def test_what_was_written_comes_back() -> None:
    saved = load_profile(dump_profile(PROFILE, {"pages": 7}))
    assert saved.profile == PROFILE
    assert saved.health == {"pages": 7}


def test_the_same_profile_gives_the_same_text() -> None:
    text = dump_profile(PROFILE)
    assert dump_profile(load_profile(text).profile) == text


def test_people_can_edit_it() -> None:
    content = json.loads(dump_profile(PROFILE))
    content["layouts"][0]["fields"][0]["places"][0]["selector"]["name"] = "h1.title"
    edited = load_profile(json.dumps(content)).profile
    rules = edited.layouts[0].field("title")
    assert rules is not None
    assert rules.places[0].selector == Selector(key=410, name="h1.title")


def test_a_file_is_read_from_disk_and_its_path_is_in_the_message(tmp_path: Path) -> None:
    path = tmp_path / "site.json"
    path.write_text(dump_profile(PROFILE), encoding="utf-8")
    assert open_profile(path).profile == PROFILE
    path.write_text("{}", encoding="utf-8")
    with pytest.raises(BadInput, match=r"site\.json: not a profile of scythe"):
        open_profile(path)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"scythe_profile": VERSION + 1}, "written by a newer scythe"),
        ({"scythe_profile": 4}, "learn the site again"),
        ({"layouts": [{"name": "a"}, {"name": "a"}]}, "2 layouts, of which 1 have names of their own"),
        ({"layouts": [{"name": f"l{n}"} for n in range(LIMITS.profile_layouts + 1)]}, "layouts"),
        ({"layouts": [{"name": "a", "parent": "b"}]}, "parent 'b' does not stand before it"),
        ({"layouts": [{"name": "a", "marks": [[-1, 2]], "marked": 2}]}, "marks are pairs"),
        ({"layouts": [{"name": "a", "marks": [[1, 2]]}]}, "marks are pairs"),
        ({"layouts": [{"name": "a", "fields": [{"name": "b"}]}]}, "a field has text, places or values"),
        ({"layouts": [{"name": "a", "fields": [{"name": "b", "text": {"roots": []}}]}]}, "no element holds the text"),
        ({"images": {"method": "guess"}}, "method is one of"),
    ],
)
def test_what_cannot_be_followed_is_refused(changes: dict[str, Any], why: str) -> None:
    with pytest.raises(BadInput, match=why):
        load_profile(changed(**changes))


@pytest.mark.parametrize("text", ["", "[]", "null", b"\xff\xfe", "{", WHOLE[:-40]])
def test_what_is_no_profile_is_refused(text: str | bytes) -> None:
    with pytest.raises(BadInput, match="not a profile of scythe"):
        load_profile(text)


def test_what_could_not_be_loaded_is_not_written() -> None:
    twice = Profile((Layout("a"), Layout("a")))
    no_place = Profile((Layout("a", (FieldRules("b", places=(PlaceRule("element"),)),)),))
    for profile in (twice, no_place):
        with pytest.raises(BadInput, match="cannot be written"):
            dump_profile(profile)
