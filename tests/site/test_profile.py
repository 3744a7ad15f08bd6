"""A profile file comes back as it was written, or is refused with the place and the reason."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scythe.errors import BadInput
from scythe.limits import LIMITS
from scythe.site.profile import VERSION, _checksum, dump_profile, load_profile, open_profile
from scythe.site.rules import (
    ATTRIBUTE,
    ELEMENT,
    FLOW,
    ColumnRules,
    FieldRules,
    Layout,
    ListRules,
    Profile,
    Rule,
    Usual,
    Way,
)

TAG = Rule("tag", b'<h1 class="headline', position=4_000)
BEFORE = Rule("before", b'<div id="story">', step=b"<h1", nth=1, reach=900)
TITLE = Way(ELEMENT, (TAG, BEFORE), end=b"</h1>\n<p", inner_tags=1, before="Titel: ", after=" \u2013 Zeitung")
IMAGES = Way(ATTRIBUTE, (Rule("tag", b'<img class="photo"'),), needed=1, attribute="src", repeats=True)
BODY = Way(
    FLOW, (Rule("tag", b"  <article", skip=2), BEFORE), drops=(b'<div class="ad',), skip_lines=("Teilen\t\u00a0",)
)
USUAL = Usual(10, 9, 12, 80, 40, 4_100, 9_000, "latin")
ARTICLE = Layout(
    "article",
    (FieldRules("title", (TITLE,), USUAL), FieldRules("images", (IMAGES,)), FieldRules("text", (BODY, TITLE))),
    marks=(b'<body class="single', b"\xe9t\xe9 in latin-1"),
    shapes=("/news/#/*",),
    encodings=("utf-8", "cp1252"),
    pages=10,
    boilerplate=("posted: 9:99 pm",),
)
PROFILE = Profile(
    (ARTICLE, replace(ARTICLE, name="gallery", marks=())),
    fields=("title", "text"),
    hosts=("example.org",),
    learned="2026-03-01T12:00:00+00:00",
    boilerplate=("All rights reserved.", "\u7248\u6743\u6240\u6709", "\u202eturned"),
)
REGION = ListRules(
    (b'<li class="item', b"<li class='\xe9'"),
    (ColumnRules("title", (">h2>a", ">h2")), ColumnRules("\u4ef7\u683c", (">div.price",))),
    members=(b"<dd",),
    holder=(Way(FLOW, (TAG, BEFORE)),),
    kind="products",
    pattern="li(h2(a),div)",
    score=812,
    pages=10,
    present=9,
    fewest=3,
    most=24,
    tight=True,
    outside=4,
)
LISTING = replace(PROFILE, layouts=(replace(ARTICLE, lists=(REGION, replace(REGION, holder=()))),))
HEALTH: dict[str, object] = {"pages": 12, "fields": {"title": [1, 0.5, None, True, "x"]}}


def signed(content: dict[str, Any]) -> str:
    """Write any content as a file whose checksum is right."""
    content = {key: value for key, value in content.items() if key != "checksum"}
    return json.dumps({**content, "checksum": _checksum(content)})


def changed(**changes: Any) -> str:
    return signed(json.loads(dump_profile(PROFILE, HEALTH)) | changes)


def test_what_was_written_comes_back() -> None:
    assert load_profile(dump_profile(PROFILE, HEALTH)) == (PROFILE, HEALTH)
    assert load_profile(dump_profile(Profile(()), {}).encode()) == (Profile(()), {})


def test_the_same_profile_gives_the_same_text() -> None:
    assert dump_profile(PROFILE, HEALTH) == dump_profile(*load_profile(dump_profile(PROFILE, HEALTH)))


def test_a_file_is_read_from_disk_and_its_path_is_in_the_message(tmp_path: Path) -> None:
    path = tmp_path / "site.json"
    path.write_text(dump_profile(PROFILE, HEALTH), encoding="utf-8")
    assert open_profile(path).profile == PROFILE
    path.write_bytes(path.read_bytes()[:-200])
    with pytest.raises(BadInput, match=r"site\.json: line \d+, column \d+: not JSON .* learn the site again"):
        open_profile(path)


def test_people_can_read_and_compare_it() -> None:
    lines = dump_profile(PROFILE, HEALTH).splitlines()
    assert lines[1] == ' "scythe_profile": 1,'
    assert any("\u7248\u6743\u6240\u6709" in line for line in lines)
    rule = next(line for line in lines if '"before"' in line and "story" in line)
    assert json.loads(rule.strip(" ,")) == {
        "kind": "before",
        "anchor": '<div id="story">',
        "step": "<h1",
        "nth": 1,
        "reach": 900,
    }
    assert max(map(len, lines)) < 200


def test_what_cannot_be_seen_is_escaped() -> None:
    text = dump_profile(PROFILE, HEALTH)
    assert "\\u202eturned" in text
    assert text.replace("\n", "").isprintable()


def test_bytes_that_are_not_text_are_base64() -> None:
    assert {"base64": "6XTpIGluIGxhdGluLTE="} in json.loads(dump_profile(PROFILE, {}))["layouts"][0]["marks"]


def test_what_is_left_out_means_the_same_in_every_version() -> None:
    """Defaults are part of the format: changing one in scythe.site.rules would change what old files say."""
    rule = {"kind": "tag", "anchor": "<p"}
    layout = {"name": "a", "fields": [{"name": "b", "ways": [{"take": "element", "rules": [rule]}]}]}
    loaded = load_profile(signed({"scythe_profile": 1, "layouts": [layout], "health": {}})).profile
    way = Way("element", (Rule("tag", b"<p", 0, b"", 0, 0, 0),), 2, "", "", "", False, b"", -1, (), ())
    field = FieldRules("b", (way,), Usual(0, 0, 0, 0, 0, 0, 0, "", ""))
    assert loaded == Profile((Layout("a", (field,), (), (), ("utf-8",), 0, (), ()),), (), (), "", ())


def test_rules_for_records_come_back_too() -> None:
    assert load_profile(dump_profile(LISTING, HEALTH)) == (LISTING, HEALTH)


def test_the_format_is_the_oldest_that_can_say_it() -> None:
    """Files without rules for records can be read by versions that know none."""
    written = [json.loads(dump_profile(profile))["scythe_profile"] for profile in (PROFILE, LISTING)]
    assert written == [1, 4]


@pytest.mark.parametrize(("version", "word"), [(2, "regions"), (3, "regions"), (4, "lists")])
def test_what_is_left_out_of_rules_for_lists_means_the_same_in_every_version(version: int, word: str) -> None:
    record_list = {"heads": ["<li"], "columns": [{"name": "a", "places": [">b"]}]}
    layout = {"name": "a", "fields": [], word: [record_list]}
    loaded = load_profile(signed({"scythe_profile": version, "layouts": [layout], "health": {}})).profile
    columns = (ColumnRules("a", (">b",)),)
    assert loaded.layouts[0].lists == (ListRules((b"<li",), columns, (), (), "list", "", 0, 0, 0, 0, 0, False, 0),)


def test_order_and_white_space_do_not_matter() -> None:
    content = json.loads(dump_profile(PROFILE, HEALTH))
    assert load_profile(json.dumps(dict(reversed(content.items())), indent=4)).profile == PROFILE


def test_an_edited_file_is_refused() -> None:
    text = dump_profile(PROFILE, HEALTH).replace("All rights", "No rights")
    with pytest.raises(
        BadInput, match="checksum: does not fit the content: the file was edited or cut; learn the site"
    ):
        load_profile(text)


def test_a_newer_format_is_refused_with_advice() -> None:
    with pytest.raises(BadInput, match=f"newer scythe .format {VERSION + 1}; .* update scythe"):
        load_profile(json.dumps({"scythe_profile": VERSION + 1, "anything": "else"}))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "not JSON"),
        ("[]", "not a profile"),
        ('{"a": 1}', "not a profile"),
        ('{"scythe_profile": true}', "a version number was expected, not True"),
        ('{"scythe_profile": 1, "scythe_profile": 1}', "is there twice"),
        ('{"scythe_profile": NaN}', "NaN is no number"),
        ('{"scythe_profile": 1, "health": 1e999}', "1e999 is no number"),
        ('{"scythe_profile": ' + "9" * 5_000 + "}", "digits"),
        ("[" * 100_000, "nested too deeply"),
        (b"\xff", "not UTF-8"),
        (" " * (LIMITS.profile_bytes + 1), "longer than"),
    ],
)
def test_what_is_no_profile_is_refused(text: str | bytes, why: str) -> None:
    with pytest.raises(BadInput, match=why):
        load_profile(text)


def test_wrong_content_with_a_right_checksum_is_refused() -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"run": "import os"}, "unknown key 'run'"),
        ({"layouts": {}}, "layouts: a list was expected"),
        ({"health": []}, "health: an object was expected"),
        ({"hosts": ["Example.org/x"]}, r"hosts\[0\]: a host name in lower case was expected"),
        ({"learned": "yesterday"}, "learned: a time such as"),
        ({"health": {"a": 1e300}}, r"health\.a: a number that is too large"),
        ({"health": {"a": [[[[[[[[[[[[[1]]]]]]]]]]]]]}}, "nested more than 12 deep"),
        ({"boilerplate": ["\ud800"]}, r"boilerplate\[0\]: text with half of a surrogate pair"),
        ({"\ud800": 1}, "profile: text with half of a surrogate pair"),
        ({"layouts": ["\ud800"]}, r"profile\.layouts\[0\]: text with half of a surrogate pair"),
        ({"a - at `$[0].x`": 1}, r"unknown key 'a - at `\$\[0\]\.x`'; expected one of layouts, fields"),
        ({"layouts": [{"name": "a"}]}, r"layouts\[0\]: 'fields' is missing"),
        ({"layouts": [{"name": "a", "fields": []}] * 2}, "layouts: two have the same name"),
        ({"layouts": [{"name": "a", "fields": [], "encodings": ["zlib"]}]}, "encodings.0.: the codec"),
        ({"layouts": [{"name": "", "fields": []}]}, "a name was expected"),
    ]
    for changes, why in cases:
        with pytest.raises(BadInput, match=why):
            load_profile(changed(**changes))


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"heads": []}, "heads: a list of 1 to"),
        ({"heads": ["li"]}, r"heads\[0\]: the beginning of an opening tag"),
        ({"members": [""]}, r"members\[0\]: the beginning of an opening tag"),
        ({"columns": []}, "columns: a list of 1 to"),
        ({"columns": [{"name": "a", "places": []}] * 2}, "columns: two have the same name"),
        ({"columns": [{"name": "a", "places": ["x" * 2_000]}]}, "places.0.: text of at most"),
        ({"score": 1_001}, "score: a whole number from 0 to 1000"),
        ({"present": 2}, "present on more pages than there were"),
        ({"fewest": 2}, "fewest and most must ascend"),
        ({"tight": 1}, "true or false"),
        ({"kind": ""}, "kind: a name was expected"),
        ({"holder": [{"take": "element", "rules": [{"kind": "tag", "anchor": "<p"}]}]}, "takes flow"),
        ({"holder": [{"take": "flow", "rules": [{"kind": "tag", "anchor": "<p"}], "repeats": True}]}, "one element"),
    ],
)
def test_a_wrong_rule_for_records_is_refused(changes: dict[str, Any], why: str) -> None:
    record_list = {"heads": ["<li"], "columns": [{"name": "a", "places": [">b"]}]} | changes
    with pytest.raises(BadInput, match=why):
        load_profile(changed(layouts=[{"name": "a", "fields": [], "lists": [record_list]}]))


def with_way(**changes: Any) -> str:
    rule = changes.pop("rule", {})
    way = {"take": "element", "rules": [{"kind": "tag", "anchor": "<p"} | rule]} | changes
    return changed(layouts=[{"name": "a", "fields": [{"name": "b", "ways": [way]}]}])


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"rule": {"kind": "guess"}}, r"rules\[0\]\.kind: one of tag, before, .* was expected, not 'guess'"),
        ({"rule": {"anchor": ""}}, "anchor: something was expected"),
        ({"rule": {"anchor": "p"}}, "no opening tag begins at skip"),
        ({"rule": {"anchor": 7}}, "anchor: text or"),
        ({"rule": {"anchor": {"base64": "%"}}}, "anchor: not base64"),
        ({"rule": {"anchor": "<" * (LIMITS.literal_bytes + 1)}}, "anchor: at most"),
        ({"rule": {"skip": 1}}, "no opening tag begins at skip"),
        ({"rule": {"skip": -1}}, "skip: a whole number from 0"),
        ({"rule": {"nth": 1}}, "step must be the beginning of an opening tag"),
        ({"rule": {"nth": 1.0}}, "nth: a whole number"),
        ({"rule": {"position": True}}, "position: a whole number"),
        ({"take": "soul"}, "take: one of element"),
        ({"take": "attribute"}, "attribute names what to take"),
        ({"take": "attribute", "attribute": "SRC"}, "lower case"),
        ({"attribute": "src"}, "only there"),
        ({"rules": []}, "a list of 1 to"),
        ({"repeats": 1}, "true or false was expected"),
        ({"drops": ["div"]}, "the beginning of an opening tag was expected"),
        ({"needed": 0}, "needed: a whole number from 1"),
        ({"before": None}, "before: text was expected"),
    ],
)
def test_a_way_that_makes_no_sense_is_refused(changes: dict[str, Any], why: str) -> None:
    with pytest.raises(BadInput, match=why):
        load_profile(with_way(**changes))


@pytest.mark.parametrize("usual", [{"present": 1}, {"shortest": 2}, {"first": 5}])
def test_measures_that_contradict_each_other_are_refused(usual: dict[str, int]) -> None:
    with pytest.raises(BadInput, match="usual"):
        load_profile(changed(layouts=[{"name": "a", "fields": [{"name": "b", "ways": [], "usual": usual}]}]))


def test_what_could_not_be_loaded_is_not_written() -> None:
    with pytest.raises(BadInput, match="cannot be written: layouts: two have the same name"):
        dump_profile(Profile((ARTICLE, ARTICLE)), {})
    with pytest.raises(BadInput, match="cannot be written"):
        dump_profile(PROFILE, {"a": object()})
    with pytest.raises(BadInput, match="expects a Profile"):
        dump_profile("profile", {})  # type: ignore[arg-type]


def mutate(text: str, chance: random.Random) -> str:
    """Change a text in one to three places: drop, double, swap or overwrite a piece."""
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(len(text) + 1)
        piece = text[at : at + chance.choice((1, 1, 2, 8, 60))]
        other = chance.choice(
            ("", piece * 2, chance.choice('{}[]",:0-9eE\\\x00\ud800 tn'), "null", "1e999", '""', "[]", "-1")
        )
        text = text[:at] + other + text[at + len(piece) :]
    return text


def outcome(text: str) -> str:
    """Load a text; return "refused", or "whole" when what came out can be written and read again."""
    try:
        saved = load_profile(text)
    except BadInput:
        return "refused"
    return "whole" if load_profile(dump_profile(*saved)) == saved else "different"


def resigned(text: str) -> str | None:
    """Sign a changed text anew, so that it gets past the checksum."""
    try:
        content = json.loads(text)
        return signed(content) if isinstance(content, dict) else None
    except (ValueError, RecursionError):
        return None


def test_random_damage_is_refused_or_harmless() -> None:
    chance = random.Random(3)
    good = dump_profile(PROFILE, HEALTH)
    seen = {outcome(mutate(good, chance)) for _ in range(3_000)}
    assert seen <= {"refused", "whole"}


def test_random_damage_under_a_right_checksum_never_gives_a_bad_record() -> None:
    chance = random.Random(4)
    good = dump_profile(PROFILE, HEALTH)
    texts = [text for _ in range(12_000) if (text := resigned(mutate(good, chance)))]
    seen = [outcome(text) for text in texts]
    assert len(texts) > 1_000
    assert set(seen) == {"refused", "whole"}


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["<p", "tag", "flow"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=12,
)
KEYS = ["layouts", "hosts", "fields", "learned", "boilerplate", "health", "scythe_profile", "checksum"]


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(st.sampled_from(KEYS), JSON))
def test_any_json_in_any_place_is_refused_or_whole(changes: dict[str, Any]) -> None:
    content = json.loads(dump_profile(PROFILE, HEALTH)) | changes
    content.pop("checksum")
    try:
        text = signed(content)
    except ValueError:  # nan and infinity have no checksum; as text they are refused
        text = json.dumps(content)
    assert outcome(text) in {"refused", "whole"}


@settings(max_examples=300, deadline=None)
@given(st.binary(min_size=1, max_size=60), st.text(max_size=30))
def test_any_literal_and_any_text_comes_back(literal: bytes, text: str) -> None:
    rule = Rule("label", literal, step=b"<td", nth=1, reach=50)
    way = Way(ELEMENT, (rule,), before=text.encode("utf-8", "replace").decode(), end=literal)
    profile = Profile((Layout("a", (FieldRules("b", (way,)),), marks=(literal,)),))
    assert load_profile(dump_profile(profile, {})).profile == profile
