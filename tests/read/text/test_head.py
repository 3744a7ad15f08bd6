"""The head of a page as it tells what kind of page this is, and names of elements, however many there are."""

from __future__ import annotations

import pytest

from scythe.page import Page
from scythe.read.records import words
from scythe.read.records.words import RoleWords
from scythe.read.text import names
from scythe.read.text.head import head_of
from scythe.read.text.names import Vocabulary


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
    monkeypatch.setattr(names, "_REMEMBERED", 2)
    forgetful = Vocabulary(["<div>", "story", "comment"], [], [])
    assert [forgetful.names_of(*one) for one in asked] == known
    assert len(forgetful._seen) <= 2


def test_roles_are_the_same_however_few_words_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = ["nav menu", "price-box", "author", "footer", "main-price", "nav menu"]
    known = [RoleWords("scythe.read.records").of(one) for one in asked]
    monkeypatch.setattr(words, "_REMEMBERED", 2)
    assert [RoleWords("scythe.read.records").of(one) for one in asked] == known
    assert any(known)
