"""The attribute dictionary: names as pages print them, in many languages."""

from __future__ import annotations

from importlib import resources

import pytest

from scythe.errors import BadInput
from scythe.reading.attributes.dictionary import (
    LABEL_CHARS,
    concept_of,
    fold,
    parse_dictionary,
    shipped,
)

TABLE = resources.files("scythe.reading.lists").joinpath("tables", "attributes.txt").read_text("utf-8")


def test_at_least_eleven_languages_have_sixty_names_and_the_core_concepts():
    core = {"price", "brand", "manufacturer", "model", "weight", "height", "width", "color", "material", "author"}
    core |= {"publisher", "pages", "language", "director", "genre", "company", "location", "salary", "address", "phone"}
    known = shipped().by_language
    rich = [
        language for language, names in known.items() if len(names) >= 60 and core <= set(names.values()) | {"brand"}
    ]
    assert {"en", "de", "fr", "es", "it", "pt", "nl", "pl", "cs", "sv", "tr", "ru", "ja", "zh"} <= set(rich)


def test_no_language_lists_a_name_twice():
    seen: set[tuple[str, str]] = set()
    language, twice = "", []
    for line in TABLE.splitlines():
        if line.startswith("["):
            language = line
        elif language != "[delimiters]" and ":" in line and not line.startswith("#"):
            for name in line.partition(":")[2].split(","):
                twice += [name] if (language, fold(name)) in seen else []
                seen.add((language, fold(name)))
    assert twice == []


def test_the_language_settles_a_name_that_two_languages_use_differently():
    assert shipped().concept_of("genre") == "genre"
    assert shipped().concept_of("Form", language="de-AT") == "shape"
    assert shipped().concept_of("An", language="ro") == "year"
    assert shipped().concept_of("Price", language="xx") == "price"


def test_own_names_and_delimiters_come_first():
    own = shipped().extend({"thread_count": ["Fadendichte", "thread count"], "fare": ["price"]}, delimiters="~")
    assert own.concept_of("Fadendichte ~") == "thread_count"
    assert own.concept_of("Price") == "fare"
    assert own.concept_of("Preis") == "price"
    assert own.concept_of("price", language="en") == "fare"
    assert shipped().concept_of("thread count") is None


def test_a_dictionary_is_read_from_text():
    own = parse_dictionary("# mine\n[delimiters]\n: |\n[en]\nfabric weight: GSM, grammage\n")
    assert own.concept_of("GSM|") == "fabric weight"
    assert own.delimiters == ":|"
    assert parse_dictionary("[en]\na: b").delimiters == ":："


@pytest.mark.parametrize("text", ["[en]\nno colon here", "[en]\nprice:"])
def test_a_line_that_is_no_entry_is_named(text):
    with pytest.raises(BadInput, match="line 2"):
        parse_dictionary(text)


@pytest.mark.parametrize(
    ("text", "pair"),
    [
        ("Price: 12.50", ("Price", "12.50")),
        ("作者：老舍", ("作者", "老舍")),
        ("Color :", ("Color", "")),
        ("Hours: 9:30 to 12", ("Hours", "9:30 to 12")),
        ("ISBN-13: 978", ("ISBN-13", "978")),
        ("9:30", None),
        ("http://example.org", None),
        (": value", None),
        ("no delimiter", None),
        ("x" * LABEL_CHARS + "y: far too long", None),
    ],
)
def test_text_is_cut_at_its_first_delimiter(text, pair):
    assert shipped().split_pair(text) == pair


def test_long_text_is_no_name_and_costs_nothing():
    assert concept_of("price " * 100_000) is None
    assert shipped().split_pair("x" * 1_000_000 + ":") is None
