"""What is kept of a document: plain values, and only what was asked for."""

import json

import pytest
from tests.crawling.pages import write_page

import scythe
from scythe import demo
from scythe.archive import stored_documents
from scythe.archive.stored_documents import LEAST_WORDS, text_simhash, to_extracted
from scythe.site.site import Site

URL = "https://mill.example/page-7.html"
ALL = ("text", "markdown", "html", "images", "records", "attributes")


@pytest.fixture(scope="module")
def site() -> Site:
    return Site.learn([(f"https://mill.example/page-{number}.html", write_page(number)) for number in range(12)])


def test_a_page_read_cold_is_kept_with_all_it_says() -> None:
    document = scythe.read(write_page(7), URL)
    extracted = to_extracted(document, ALL)
    rest = json.loads(extracted.rest)
    assert (extracted.how, extracted.kind, extracted.language) == ("cold", "article", "en")
    assert (extracted.title, extracted.text) == (document.title, document.text)
    assert (extracted.markdown, extracted.html) == (document.markdown, document.html)
    assert [image["src"] for image in rest["images"]] == [image.src for image in document.images]
    assert rest["how"] == document.how
    assert rest["metadata"]["kind"] == "article"
    assert "fields" not in rest


def test_what_was_not_asked_for_is_not_worked_out() -> None:
    document = scythe.read(write_page(7), URL)
    extracted = to_extracted(document, ("text",))
    assert (extracted.markdown, extracted.html, extracted.lists) == (None, None, ())
    assert not {"images", "attributes", "paging"} & json.loads(extracted.rest).keys()
    assert not {"markdown", "html", "images", "records", "attributes"} & document.__dict__.keys()


def test_a_page_that_was_cut_says_so_and_how_many_fields(site: Site) -> None:
    extracted = to_extracted(site.extract(write_page(20), URL), ("text", "images"))
    rest = json.loads(extracted.rest)
    assert (extracted.how, extracted.kind) == ("cut", "article")
    assert (extracted.cut_fields, extracted.tree_fields) == (
        4,
        0,
    )  # images are judged; of author and date there are none
    assert rest["metadata"]["kind"] == extracted.kind
    assert rest["metadata"]["title"] == extracted.title
    start, end = rest["fields"]["text"]["span"]
    assert b"said miller 20." in write_page(20)[start:end]
    assert "values" not in rest["fields"]["text"]


def test_a_page_that_no_rule_fits_is_the_work_of_the_tree(site: Site) -> None:
    other = b"<html><title>Other</title><body><table><tr><td>" + b"<p>Quite another page of the site.</p>" * 20
    assert to_extracted(site.extract(other, URL), ("text",)).how == "tree"


def test_an_empty_page_gives_an_empty_result_with_the_reason() -> None:
    extracted = to_extracted(scythe.read(b"", URL), ALL)
    assert (extracted.title, extracted.text, extracted.simhash) == ("", "", None)
    assert json.loads(extracted.rest)["why"]


def test_the_fingerprint_has_of_each_bit_what_most_words_have() -> None:
    texts = [page.gold_text for page in demo.site(seed=4, pages=40)]
    long_ones = [text for text in texts if len(text.split()) >= LEAST_WORDS]
    assert len(long_ones) > 5
    for text in long_ones:
        assert text_simhash(text) == stored_documents._simhash("\n".join(stored_documents._words(text)).encode())


def test_like_texts_differ_in_few_bits_and_others_in_many() -> None:
    def bits(one: str, other: str) -> int:
        first, second = text_simhash(one), text_simhash(other)
        assert first is not None
        assert second is not None
        return (first ^ second).bit_count()

    words = [f"word{number}" for number in range(400)]
    text = " ".join(words)
    assert bits(text, text.replace("word7 ", "other ")) <= 4
    assert bits(text, " ".join(f"another{number}" for number in range(400))) > 16


def test_short_texts_have_no_fingerprint_and_texts_without_blanks_have_one() -> None:
    assert text_simhash("a few words only") is None
    assert text_simhash("") is None
    assert text_simhash("水车磨坊的石头和谷物在河边转动" * 20) is not None
