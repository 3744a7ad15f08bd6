"""The head of a page as it tells what kind of page this is, and names of elements, however many there are."""

from __future__ import annotations

import pytest

from scythe.page import Page
from scythe.reading.lists import role_words
from scythe.reading.lists.role_words import RoleWords
from scythe.reading.text import block_features
from scythe.reading.text.block_features import Vocabulary
from scythe.reading.text.choose_text import head_of


def test_a_head_says_title_description_and_what_made_it() -> None:
    html = """<title>Plain</title><meta name=description content=" "><meta name=description content="On rye">
    <meta property=og:title content="Rye"><meta property=og:type content=Article>
    <meta name=generator content="WordPress 6.1"><p>text"""
    head = head_of(Page.from_text(html, url="https://farm.example/news/rye"))
    assert (head.title, head.description) == ("Rye", "On rye")
    assert {"og:article", "gen:wordpress", "host:farm", "url:news"} <= set(head.tokens)


def test_names_mean_the_same_however_few_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = [("div", f"story-{number} comment") for number in range(6)] * 2
    plain = Vocabulary(["<div>", "story", "comment"], [], [])
    known = [plain.names_of(*one) for one in asked]
    monkeypatch.setattr(block_features, "_REMEMBERED", 2)
    forgetful = Vocabulary(["<div>", "story", "comment"], [], [])
    assert [forgetful.names_of(*one) for one in asked] == known
    assert len(forgetful._seen) <= 2


def test_roles_are_the_same_however_few_words_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = ["nav menu", "price-box", "author", "footer", "main-price", "nav menu"]
    known = [RoleWords("scythe.reading.lists").of(one) for one in asked]
    monkeypatch.setattr(role_words, "_REMEMBERED", 2)
    assert [RoleWords("scythe.reading.lists").of(one) for one in asked] == known
    assert any(known)
