"""Stored versions are extracted anew by what was learned since, each in its place."""

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from threading import Event

import pytest
from sqlalchemy import select, text
from tests.archive.visiting import extracted, later, region
from tests.demo_sites import demo_site

from scythe.archive.archive import Archive
from scythe.archive.frontier import add_urls, next_tasks, requeue
from scythe.archive.open import open_archive
from scythe.archive.outcomes import store_outcomes
from scythe.archive.results import PageQuery, SearchQuery
from scythe.archive.retrieval import read_pages, read_records
from scythe.archive.schema import EXTRACTIONS, PAGES, PROFILES
from scythe.archive.search import run_search
from scythe.archive.search_index import index_new
from scythe.archive.stale_versions import count_stale, rewrite, stale_versions, wanted_now
from scythe.archive.stored_documents import to_document, to_extracted
from scythe.archive.stored_sites import add_site, find_site, save_notes, save_profile
from scythe.archive.verify import verify_archive
from scythe.crawl_model import Extracted, FoundUrl, Outcome, Raw, Task
from scythe.crawling.crawl import crawl
from scythe.crawling.crawl_options import CrawlOptions
from scythe.crawling.refill import VersionReader, refill
from scythe.demo.serve import DemoOptions, serve_demo
from scythe.errors import BadInput
from scythe.reader import read
from scythe.site.site import Site
from scythe.url import Url
from scythe.version import version

HOST = "demo.scythe.example"


@pytest.fixture
def archive(where: str) -> Iterator[Archive]:
    """An empty archive in each kind of database."""
    with open_archive(where) as opened:
        yield opened


NEWS = [demo for demo in demo_site() if demo.kind == "news"][:14]
PARTS = ("text", "images", "records")


def visit(task: Task, body: bytes, said: Extracted, *, kept: bool = True, after_s: float = 0) -> Outcome:
    headers = (("Content-Type", "text/html; charset=utf-8"),)
    raw = Raw(200, headers, body) if kept else None
    told = {"status": 200, "seconds": 0.1, "size": len(body), "content_type": "text/html", "raw": raw}
    return Outcome(task, "done", later(after_s), body_hash=sha256(body).digest(), extracted=said, **told)  # type: ignore[arg-type]


def store(archive: Archive, pages: list[tuple[str, bytes, Extracted]], *, kept: bool = True, after_s: float = 0) -> int:
    """Store pages as a crawl does; those that are known become new versions."""
    site = add_site(archive, HOST, Url(f"https://{HOST}/"))
    add_urls(archive, site, [FoundUrl(Url(url), HOST) for url, _, _ in pages])
    with archive.writing(site) as connection:
        requeue(connection, site, ("done",))
    tasks = {task.url: task for task in next_tasks(archive, site, HOST, 999, now=later(after_s))}
    store_outcomes(
        archive,
        [visit(tasks[Url(url)], body, said, kept=kept, after_s=after_s) for url, body, said in pages],
    )
    return site


def read_all(pages: list[tuple[str, bytes]], profile: int = 0) -> list[tuple[str, bytes, Extracted]]:
    return [(url, body, replace(to_extracted(read(body, url), PARTS), profile=profile)) for url, body in pages]


PAGES_AT_HAND = [(demo.url, demo.html) for demo in NEWS]


def learned() -> Site:
    return Site.learn(PAGES_AT_HAND[:10])


def teach(site: Site) -> Site:
    """Show what the title of three pages is once more, as a field of another name."""
    site.add_fields(PAGES_AT_HAND[:3], [{"headline": [demo.gold_title]} for demo in NEWS[:3]])
    return site


def headlines(archive: Archive, *, all_versions: bool = False) -> list[str]:
    found = []
    for stored in read_pages(archive, PageQuery(all_versions=all_versions)):
        fields = to_document(stored).fields
        found += fields["headline"].values if "headline" in fields else ("",)
    return found


def test_a_field_taught_today_has_its_values_for_every_version_ever_stored(archive: Archive) -> None:
    site = store(archive, read_all(PAGES_AT_HAND))
    changed = [(url, body.replace(b"</h1>", b" today</h1>", 1)) for url, body in PAGES_AT_HAND[:4]]
    store(archive, read_all(changed), after_s=60)
    known = learned()
    save_profile(archive, site, known.to_json())
    assert refill(archive).done == len(NEWS) + 4
    save_profile(archive, site, teach(known).to_json())
    assert (refill(archive).done, refill(archive).done) == (len(NEWS) + 4, 0)
    assert sorted(headlines(archive, all_versions=True)) == sorted(
        [demo.gold_title for demo in NEWS] + [f"{demo.gold_title} today" for demo in NEWS[:4]]
    )
    assert verify_archive(archive) == []


def test_pages_read_before_their_site_was_learned_say_what_those_after_it_say(archive: Archive) -> None:
    known = learned()
    site = store(archive, read_all(PAGES_AT_HAND))
    save_profile(archive, site, known.to_json())
    refill(archive)
    for stored, (url, body) in zip(read_pages(archive, PageQuery()), PAGES_AT_HAND, strict=True):
        ours, theirs = to_document(stored), known.extract(body, url, "tree")
        assert (ours.title, ours.text) == (theirs.title, theirs.text)
        assert ours.metadata.author == theirs.metadata.author
        assert [image.src for image in ours.images] == [image.src for image in theirs.images]
        assert [one.records for one in ours.lists] == [one.records for one in theirs.lists]


def test_what_was_extracted_by_another_scythe_is_extracted_anew(archive: Archive) -> None:
    store(archive, read_all(PAGES_AT_HAND[:3]))
    assert refill(archive).done == 0
    with archive.writing() as connection:
        connection.execute(text("UPDATE extractions SET made_by = '0.0'"))
    before = list(read_pages(archive, PageQuery()))
    assert refill(archive).done == 3
    assert list(read_pages(archive, PageQuery())) == before
    with archive.reading() as connection:
        assert set(connection.execute(select(EXTRACTIONS.c.made_by)).scalars()) == {version()}


def test_pages_that_were_not_kept_stay_as_they_are_and_are_counted(archive: Archive) -> None:
    site = store(archive, read_all(PAGES_AT_HAND[:3]), kept=False)
    save_profile(archive, site, learned().to_json())
    counts = refill(archive)
    assert (counts.total, counts.done, counts.not_kept) == (0, 0, 3)


def test_a_profile_with_the_same_rules_makes_nothing_stale(archive: Archive) -> None:
    site = store(archive, read_all(PAGES_AT_HAND))
    known = learned()
    save_profile(archive, site, known.to_json())
    refill(archive)
    later_on = json.loads(known.to_json()) | {"learned": "2026-11-19T00:00:00+00:00"}
    assert save_profile(archive, site, json.dumps(later_on)) == 2
    assert refill(archive).done == 0
    with archive.writing() as connection:
        connection.execute(text("UPDATE profiles SET rules = NULL"))  # as older archives have them
    assert refill(archive).done == len(NEWS)


def test_texts_that_were_wrong_are_put_right_with_all_that_hangs_on_them(archive: Archive) -> None:
    """Their duplicates, their fingerprints, the texts they lent, and the search index."""
    wrong = replace(extracted("Wrong", simhash=7), text="the same wrong words " * 30, profile=0)
    pages = [(url, body, wrong) for url, body in PAGES_AT_HAND[:3]]
    site = store(archive, pages)
    store(archive, [(f"https://{HOST}/lost", b"<p>not kept</p>", wrong)], kept=False)
    index_new(archive, budget_s=60)
    assert run_search(archive, SearchQuery("wrong")).total == 4
    save_profile(archive, site, learned().to_json())
    assert refill(archive).done == 3
    assert verify_archive(archive) == []
    titles = [stored.title for stored in read_pages(archive, PageQuery())]
    assert titles == [*(demo.gold_title for demo in NEWS[:3]), "Wrong"]
    index_new(archive, budget_s=60)
    assert run_search(archive, SearchQuery("wrong")).total == 1
    with archive.reading() as connection:
        assert list(connection.execute(select(PAGES.c.duplicate_of)).scalars()) == [None] * 4
    assert [stored.text for stored in read_pages(archive, PageQuery())][3] == wrong.text


def test_pages_with_one_body_are_copies_afterwards_too(archive: Archive) -> None:
    url, body = PAGES_AT_HAND[0]
    wrong = replace(extracted("Wrong"), text="wrong words " * 30, profile=0)
    other = replace(wrong, text="other wrong words " * 30)
    site = store(archive, [(url, body, wrong), (f"{url}?copy", body, wrong), (PAGES_AT_HAND[1][0], b"<p>x", other)])
    save_profile(archive, site, learned().to_json())
    refill(archive)
    with archive.reading() as connection:
        copies = connection.execute(select(PAGES.c.id, PAGES.c.duplicate_of).order_by(PAGES.c.id)).all()
    assert [of is None for _, of in copies].count(False) == 1
    assert verify_archive(archive) == []


def test_a_page_whose_new_text_another_has_is_its_copy(archive: Archive) -> None:
    known = learned()
    url, body = PAGES_AT_HAND[0]
    right = replace(to_extracted(known.extract(body, url, "tree"), PARTS), profile=1)
    wrong = replace(extracted("Wrong"), text="wrong words " * 30, profile=0)
    site = store(archive, [(url, body, right)])
    store(archive, [(f"{url}?print", body + b"<!-- print -->", wrong)])
    save_profile(archive, site, known.to_json())
    assert refill(archive).done == 1
    with archive.reading() as connection:
        first, second = connection.execute(select(PAGES.c.id, PAGES.c.duplicate_of).order_by(PAGES.c.id)).all()
    assert (first.duplicate_of, second.duplicate_of) == (None, first.id)


def test_lists_that_were_wrong_are_put_right_and_records_that_nobody_shows_go(archive: Archive) -> None:
    shops = [demo for demo in demo_site() if demo.kind == "section"][:2] or NEWS[:2]
    wrong = region(("https://a.example/x", "Read more"), ("https://a.example/y", "Read more"))
    pages = [(d.url, d.html, replace(extracted(d.url), lists=(wrong,), profile=0)) for d in shops]
    site = store(archive, pages)
    save_profile(archive, site, learned().to_json())
    refill(archive)
    right = [to_document(stored).lists for stored in read_pages(archive, PageQuery())]
    assert all("Read more" not in record.fields for lists in right for one in lists for record in one.records)
    assert all("Read more" not in record.fields for record in read_records(archive, PageQuery()))
    assert [[one.records for one in lists] for lists in right] == [
        [one.records for one in learned().extract(d.html, d.url, "tree").lists] for d in shops
    ]
    assert verify_archive(archive) == []


def test_lists_that_were_right_stay_with_when_they_were_seen(archive: Archive) -> None:
    """On one page they are known already; on the other one of them was overlooked."""
    shown = [demo for demo in demo_site() if demo.gold_records][:1]
    pages = read_all([(shown[0].url, shown[0].html), (f"{shown[0].url}?again", shown[0].html + b"<!-- again -->")])
    assert pages[1][2].lists
    pages[1] = (*pages[1][:2], replace(pages[1][2], lists=()))
    store(archive, pages)
    before = list(read_records(archive, PageQuery()))
    with archive.writing() as connection:
        connection.execute(text("UPDATE extractions SET made_by = '0.0'"))
    assert refill(archive).done == 2
    assert [one.record for one in read_records(archive, PageQuery())] == [one.record for one in before]
    first, second = (to_document(stored).lists for stored in read_pages(archive, PageQuery()))
    assert [one.records for one in first] == [one.records for one in second]


def test_a_page_with_the_body_of_one_that_is_up_to_date_is_its_copy(archive: Archive) -> None:
    known = learned()
    url, body = PAGES_AT_HAND[0]
    right = replace(to_extracted(known.extract(body, url, "tree"), PARTS), profile=1)
    wrong = replace(extracted("Wrong"), text="wrong words " * 30, profile=0)
    site = store(archive, [(url, body, right)])
    store(archive, [(f"{url}?print", body, wrong)])
    save_profile(archive, site, known.to_json())
    assert refill(archive).done == 1
    with archive.reading() as connection:
        first, second = connection.execute(select(PAGES.c.id, PAGES.c.duplicate_of).order_by(PAGES.c.id)).all()
    assert (first.duplicate_of, second.duplicate_of) == (None, first.id)


def test_long_pages_are_taken_one_at_a_time_and_short_texts_are_no_copies(archive: Archive) -> None:
    bodies = [(f"https://{HOST}/{n}", b"<title>%d</title><p>short" % n) for n in range(3)]
    store(archive, [(url, body, replace(extracted(url), profile=None)) for url, body in bodies])
    with archive.writing() as connection:
        connection.execute(text("UPDATE versions SET size = 9000000"))
    assert refill(archive).done == 3
    assert verify_archive(archive) == []


def test_only_what_is_asked_for_of_a_site_is_extracted_anew(archive: Archive) -> None:
    url, body = PAGES_AT_HAND[0]
    site = store(archive, [(url, body, replace(Extracted("a", markdown="old"), profile=0))])
    save_notes(archive, site, json.dumps({"parts": ["text"]}))
    save_profile(archive, site, learned().to_json())
    refill(archive)
    (stored,) = read_pages(archive, PageQuery())
    assert stored.markdown not in ("old", None)
    assert "images" not in json.loads(stored.rest)


def test_it_ends_when_asked_to_and_goes_on_where_it_was(archive: Archive) -> None:
    many = [(f"{url}?{n}", body + b"%d" % n) for n in range(9) for url, body in PAGES_AT_HAND]
    site = store(archive, read_all(many))
    save_profile(archive, site, learned().to_json())
    stop = Event()
    first = refill(archive, [HOST], tell=lambda counts: stop.set(), stop=stop)
    assert 0 < first.done < len(many)
    assert refill(archive).done == len(many) - first.done


def test_what_somebody_else_rewrote_meanwhile_is_left_alone(archive: Archive) -> None:
    site = store(archive, read_all(PAGES_AT_HAND[:3]))
    save_profile(archive, site, learned().to_json())
    wanted = wanted_now(archive, site, version())
    some = next(stale_versions(archive, wanted))
    done = [(one, replace(one.old, title="ours")) for one in some]
    assert rewrite(archive, wanted, done, lists=False) == 3
    assert rewrite(archive, wanted, [(one, replace(new, title="late")) for one, new in done], lists=False) == 0
    assert {stored.title for stored in read_pages(archive, PageQuery())} == {"ours"}


def test_an_unknown_site_is_told(archive: Archive) -> None:
    with pytest.raises(BadInput, match="there is no site 'x' in the archive"):
        refill(archive, ["x"])


def test_a_profile_that_cannot_be_read_leaves_everything_as_it_is(archive: Archive) -> None:
    site = store(archive, read_all(PAGES_AT_HAND[:2]))
    save_profile(archive, site, '{"scythe_profile": 1}')
    assert (refill(archive).failed, count_stale(archive, wanted_now(archive, site, version()))) == (2, 2)
    save_profile(archive, site, learned().to_json())
    with archive.writing() as connection:
        connection.execute(text("UPDATE extractions SET profile = 1"))
    assert refill(archive).done == 2


def test_a_page_that_cannot_be_extracted_any_more_stays_as_it_was(
    archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = store(archive, read_all(PAGES_AT_HAND[:2]))
    save_profile(archive, site, learned().to_json())
    monkeypatch.setattr(VersionReader, "_read", lambda *given, **named: (_ for _ in ()).throw(BadInput("no")))
    counts = refill(archive)
    assert (counts.done, counts.failed) == (0, 2)


def test_what_is_no_html_is_read_as_it_is(archive: Archive) -> None:
    site = store(archive, [(f"https://{HOST}/a", b"plain", replace(extracted("a"), profile=0))])
    save_profile(archive, site, learned().to_json())
    with archive.writing() as connection:
        connection.execute(text("UPDATE versions SET content_type = 'text/plain'"))
    assert refill(archive).done == 1


@pytest.mark.fault
def test_a_crawl_extracts_anew_what_it_read_before_there_were_rules(tmp_path: Path) -> None:
    options = CrawlOptions(delay=0, allow_private=True, limit=40, sitemaps=False)
    with serve_demo(DemoOptions(pages=40)) as demo:
        found = len(list(crawl(demo.url, archive=tmp_path / "a.db", options=options)))
    with open_archive(tmp_path / "a.db") as archive, archive.reading() as connection:
        key = demo.url.split("/")[2]
        site = find_site(connection, key)
        assert site is not None
        assert found == 40
        assert connection.execute(select(PROFILES.c.version)).first() is not None
        wanted = wanted_now(connection, site, version())
        assert count_stale(connection, replace(wanted, cut_too=False)) == 0


REFILL = """
import sys
sys.path.insert(0, sys.argv[1])
from scythe.archive.open import open_archive
from scythe.crawling.refill import refill
with open_archive(sys.argv[2]) as archive:
    refill(archive, tell=lambda counts: print(counts.done, flush=True))
"""


@pytest.mark.fault
def test_nothing_is_lost_or_doubled_by_a_kill(where: str, root: Path) -> None:
    many = [(f"{url}?{n}", body + b"%d" % n) for n in range(9) for url, body in PAGES_AT_HAND]
    known = learned()
    right = to_extracted(known.extract(*reversed(many[0]), "tree"), ("text",))
    with open_archive(where) as archive:
        site = store(archive, [(url, body, replace(right, profile=0)) for url, body in many])
        save_profile(archive, site, teach(known).to_json())
    killed = 0
    while True:
        command = [sys.executable, "-c", REFILL, str(root), where]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            is_under_way = process.stdout.readline()
            process.kill()
        if not is_under_way:
            break
        killed += 1
    with open_archive(where) as archive:
        refill(archive)
        assert killed >= 1
        assert sorted(headlines(archive)) == sorted([demo.gold_title for demo in NEWS] * 9)
        assert verify_archive(archive) == []
