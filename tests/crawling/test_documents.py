"""What goes into an archive comes out again as the same document."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.archive.visiting import begin, done

import scythe
from scythe import demo
from scythe.archive.archive import Archive
from scythe.archive.open import open_archive
from scythe.archive.outcomes import store_outcomes
from scythe.archive.results import PageQuery
from scythe.archive.retrieval import read_pages
from scythe.archive.stored_documents import to_document, to_extracted
from scythe.crawl_model import Extracted
from scythe.crawling.crawl_options import PARTS
from scythe.model import Document
from scythe.output.archive_export import page_line
from scythe.url import Url

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "tests" / "pages").rglob("page.html"))[:6] + sorted((ROOT / "examples").glob("*.html"))


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    with open_archive(tmp_path / "archive.db") as opened:
        yield opened


def through(archive: Archive, document: Document, parts: tuple[str, ...] = PARTS) -> Document:
    """Store a document and read it again."""
    _, (task,) = begin(archive, "page")
    store_outcomes(archive, [done(task, extracted=to_extracted(document, parts))])
    (stored,) = read_pages(archive, PageQuery())
    return to_document(stored)


def values(document: Document) -> dict[str, object]:
    """Return everything that is kept: scores and patterns of regions are not, nor columns that no record fills."""
    plain = json.loads(json.dumps(document.to_dict()))
    for region in plain["lists"]:
        for record in region["records"]:
            record["fields"] = {n: t for n, t in zip(region["columns"], record["fields"], strict=True) if t}
        region.update(score=0, pattern="", columns=[])
    return plain


@pytest.mark.parametrize("path", PAGES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_page_comes_out_as_it_went_in(archive: Archive, path: Path) -> None:
    document = scythe.read(path.read_bytes(), url="http://site.example/page")
    before, after = values(document), values(through(archive, document))
    for name in before:
        if name != "lists":
            assert after[name] == before[name], name
    kept = [record for region in after["lists"] for record in region["records"]]  # type: ignore[attr-defined]
    assert all(record in kept for record in _once(before))


def _once(plain: dict[str, object]) -> list[object]:
    """Return the records with links of their own; two with the same links on one page may be one record."""
    records = [record for region in plain["lists"] for record in region["records"]]  # type: ignore[attr-defined]
    links = [record["links"] for record in records]
    return [record for record in records if record["links"] and links.count(record["links"]) == 1]


def test_fields_of_a_learned_site_come_out_too(archive: Archive) -> None:
    pages = demo.site(pages=12)
    site = scythe.Site.learn([(page.url, page.html) for page in pages])
    document = site.extract(pages[3].html, url=pages[3].url)
    after = through(archive, document)
    assert document.fields
    assert {name: (each.values, each.span) for name, each in after.fields.items()} == {
        name: (each.values, each.span) for name, each in document.fields.items()
    }
    assert after.how == document.how


@pytest.mark.parametrize("path", PAGES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_line_says_what_a_document_says(archive: Archive, path: Path) -> None:
    document = through(archive, scythe.read(path.read_bytes(), url="http://site.example/page"))
    (stored,) = read_pages(archive, PageQuery())
    line = page_line(stored)
    said = document.to_dict()
    assert list(line)[: len(said)] == list(said)
    assert json.dumps({name: line[name] for name in said}) == json.dumps(said)


def test_what_was_not_kept_is_empty(archive: Archive) -> None:
    document = scythe.read((ROOT / "examples" / "harvest.html").read_bytes(), url="http://site.example/page")
    after = through(archive, document, ("text",))
    assert after.text == document.text
    assert (after.markdown, after.html, after.images, after.lists, after.attributes) == ("", "", (), (), ())


def test_what_another_version_stored_is_passed_over() -> None:
    rest = {
        "metadata": {"author": "Ada", "mood": "calm"},
        "images": [{"src": "http://a.example/i", "smell": 1}],
        "x": 1,
    }
    document = to_document(Extracted(rest=json.dumps(rest)), Url("http://a.example/"))
    assert document.metadata.author == "Ada"
    assert document.images[0].src == "http://a.example/i"
    assert document.url == "http://a.example/"
