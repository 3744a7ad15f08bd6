"""Names are found by how they are written, in many languages."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tables import rows

from scythe.reading.papers.main_block import find_entities, learn_habits

HERE = Path(__file__).parent
TEXTS = dict(rows(HERE / "named_texts.jsonl"))  # short news, with the names of people, places and bodies in them
TERMS = dict(rows(HERE / "terms.jsonl"))  # the same in scripts without capitals


def right_found_named(language: str) -> tuple[int, int, int]:
    text, names = TEXTS[language]
    found, named = Counter(find_entities(text)), Counter(names.split("|"))
    return (found & named).total(), found.total(), named.total()


def test_nine_of_ten_names_are_found_and_right_over_all_languages():
    right, found, named = map(sum, zip(*map(right_found_named, TEXTS), strict=True))
    assert (right / found, right / named) >= (0.9, 0.9), (right, found, named)


@pytest.mark.parametrize("language", TEXTS)
def test_most_names_of_each_language_are_found(language):
    right, found, named = right_found_named(language)
    assert right >= 0.7 * named, find_entities(TEXTS[language][0])
    assert right >= 0.6 * found, find_entities(TEXTS[language][0])


@pytest.mark.parametrize("language", TERMS)
def test_what_is_said_twice_is_found_where_there_are_no_capitals(language):
    text, terms = TERMS[language]
    assert [term for term in terms if not any(term in found for found in find_entities(text))] == []


def test_short_texts_are_read_by_the_habits_of_the_article():
    habits = learn_habits("Yesterday the mayor met Ellery in the town hall.")
    assert find_entities("Ellery and the Mayor", habits)[0] == "Ellery"
    assert find_entities("Flowers", habits) == []


@given(st.text(max_size=200))
def test_any_text_has_names_or_none(text):
    assert all(isinstance(name, str) and name for name in find_entities(text))
