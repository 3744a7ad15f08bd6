"""What a Site takes, and what it refuses."""

from __future__ import annotations

from typing import Any

import pytest

from scythe import BadInput, Page, Site, read


def page(number: int) -> bytes:
    return (
        f"<html><head><title>Thing {number}</title></head><body><h1 class='name'>Thing {number}</h1>"
        f"<table id='facts'><tr><th>Price</th><td>$ {number}.50</td></tr><tr><th>Maker</th><td>Acme {number}</td></tr>"
        f"</table></body></html>"
    ).encode()


def learn(examples: Any) -> Site:
    return Site.learn([(None, page(number)) for number in range(len(examples))], examples)


def test_one_value_need_not_be_in_a_list() -> None:
    site = learn([{"price": f"$ {number}.50"} for number in range(3)])
    assert site.extract(page(9)).fields["price"].values == ("$ 9.50",)


def test_pages_can_be_given_as_pages_pairs_and_text() -> None:
    given = [(None, page(0)), Page.from_bytes(page(1)), (None, page(2).decode())]
    site = Site.learn(given, [{"price": [f"$ {number}.50"]} for number in range(3)])
    assert site.extract(page(9).decode()).fields["price"].how.startswith("cut")


def test_a_page_that_nobody_looked_at_says_nothing() -> None:
    site = learn([{"maker": ["Acme 0"]}, {"maker": ["Acme 1"]}, None])
    assert site.extract(page(7)).fields["maker"].values == ("Acme 7",)


def test_text_that_was_not_learned_is_read_when_asked_for() -> None:
    site = learn([{"price": f"$ {number}.50"} for number in range(3)])
    document = site.extract(page(9))
    assert set(document.fields) == {"price"}
    assert "Acme 9" in document.text


def test_fields_of_both_kinds_can_be_learned_together() -> None:
    given = [(None, page(number)) for number in range(4)]
    site = Site.learn(given, [{"price": f"$ {number}.50"} for number in range(4)], fields=["title"])
    document = site.extract(page(9))
    assert document.fields["price"].values == ("$ 9.50",)
    assert document.title == "Thing 9"


@pytest.mark.parametrize(
    ("examples", "said"),
    [
        ([], "one entry per page"),
        (["$ 0.50"], "an example is a dict"),
        ([{"price": [5]}], "must be text or a list of texts"),
        ([{5: ["x"]}], "must be text or a list of texts"),
    ],
)
def test_examples_of_the_wrong_form_are_refused(examples: Any, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        Site.learn([(None, page(0))], examples)


@pytest.mark.parametrize("given", [[], [5], [(None,)], [(None, 5)], [(5, b"<p>x</p>")]])
def test_pages_of_the_wrong_form_are_refused(given: Any) -> None:
    with pytest.raises(BadInput):
        Site.learn(given)


def test_bodies_addresses_and_ways_of_the_wrong_form_are_refused() -> None:
    site = learn([{"price": f"$ {number}.50"} for number in range(3)])
    wrong: list[tuple[Any, ...]] = [(5,), (page(1), 5), (page(1), None, "fast")]
    for arguments in wrong:
        with pytest.raises(BadInput):
            site.extract(*arguments)


def test_a_field_that_no_example_shows_cannot_be_asked_for() -> None:
    with pytest.raises(BadInput, match="no example shows price"):
        Site.learn([(None, page(0))], fields=["price"])


@pytest.mark.parametrize(
    "body", [b"", b" \n", b"\x00" * 100, b"%PDF-1.4 \x80\x81", b"<" * 1_000, b"<h1 class='name'>" * 1_000]
)
def test_any_bytes_give_a_document(body: bytes) -> None:
    site = learn([{"price": f"$ {number}.50"} for number in range(3)])
    assert site.extract(body).fields["price"].values == ()


def test_a_page_that_was_read_to_learn_from_is_not_read_again_when_it_is_extracted() -> None:
    def page(number: int) -> bytes:
        text = f"<p>{f'Reaping in bundles, as of chapter {number}. ' * 9}</p>"
        return f"<title>Chapter {number}</title><main><h1>Chapter {number}</h1>{text}</main>".encode()

    pages = [(f"https://reap.example/{number}", page(number)) for number in range(2)]  # too few to settle a layout
    site = Site.learn(pages)
    read_before = site.cost.read
    for url, body in pages:
        assert site.extract(body, url).text == read(body, url).text
    assert site.cost.read == read_before
    site.extract(*reversed(pages[0]))
    assert site.cost.read == read_before + 1  # and it is forgotten then


@pytest.mark.parametrize("mark", ["¶", "\uf0c1", "\U0001f517"])
def test_a_title_is_without_the_mark_that_links_its_heading_to_itself(mark: str) -> None:
    def page(number: int) -> bytes:
        link = f'<a class="headerlink" href="#reap" title="Permalink">{mark}</a>'
        text = f"<p>{f'Reaping in bundles, as of chapter {number}. ' * 9}</p>"
        name = f"reap.bundle{number}"
        return f"<title>{name} — scythes</title><main><h1>{name}{link}</h1>{text}</main>".encode()

    assert read(page(3)).title == "reap.bundle3"
    site = Site.learn([(None, page(number)) for number in range(6)])
    document = site.extract(page(9))
    assert (document.title, document.fields["title"].values) == ("reap.bundle9", ("reap.bundle9",))
    assert document.fields["title"].how.startswith("cut")
    assert repr(site) == "<Site: title, text, date, author, images, records of 1 layouts, learned from 4 pages>"
