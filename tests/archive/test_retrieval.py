"""Reading an archive out: everything that was stored, each thing once, of both databases."""

import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from tests.archive.visiting import HOST, NOW, SITE, begin, done, extracted, later, prose, region

from scythe.archive.archive import Archive
from scythe.archive.bodies import pack, unpack
from scythe.archive.frontier import add_urls, next_tasks, requeue
from scythe.archive.open import open_archive
from scythe.archive.outcomes import store_outcomes
from scythe.archive.results import PageQuery, StoredPage
from scythe.archive.retrieval import (
    count,
    read_pages,
    read_raw,
    read_records,
    select_records,
    select_responses,
    select_versions,
)
from scythe.archive.stored_sites import add_site, find_site
from scythe.crawl_model import Extracted, FoundUrl, Outcome, Raw
from scythe.errors import ArchiveFailed
from scythe.model import Record, RecordList
from scythe.url import Url

BODY = Raw(200, (("Content-Type", "text/html"), ("X-Name", "caf\u00e9")), b"<p>as it came</p>")


def paths(pages: Iterator[StoredPage]) -> list[str]:
    return [page.url.removeprefix(SITE) for page in pages]


def visit_again(archive: Archive, about: str, seconds: float, **more: object) -> None:
    """Let every page be visited again and say something else."""
    site = find_site(archive, HOST)
    assert site is not None
    requeue(archive, site)
    tasks = next_tasks(archive, site, HOST, 1_000, now=later(seconds))
    store_outcomes(archive, [done(task, f"{about} {task.id}", at=later(seconds), **more) for task in tasks])


def test_a_page_is_read_as_it_was_stored(archive: Archive) -> None:
    _, (task,) = begin(archive, "a")
    stored = Extracted(
        title="Rye",
        text=prose("rye"),
        markdown="# Rye",
        html="<h1>Rye</h1>",
        rest='{"why":""}',
        kind="article",
        language="en",
        published="2026-05-01",
        how="mixed",
    )
    store_outcomes(archive, [done(task, extracted=stored)])
    (page,) = read_pages(archive, PageQuery())
    for name in ("title", "text", "markdown", "html", "rest", "kind", "language", "published", "how", "lists"):
        assert getattr(page, name) == getattr(stored, name), name
    assert (page.url, page.site, page.status) == (f"{SITE}a", HOST, 200)
    assert page.fetched_at == page.first_seen == page.last_seen == NOW
    assert (page.version, page.versions, page.is_complete, page.duplicate_of, page.gone_at) == (1, 1, True, None, None)


def test_the_newest_version_is_read_unless_all_are_wanted(archive: Archive) -> None:
    _, tasks = begin(archive, "a", "b")
    store_outcomes(archive, [done(task, f"first {task.id}") for task in tasks])
    visit_again(archive, "second", 60)
    newest = list(read_pages(archive, PageQuery()))
    assert [(page.version, page.versions, page.title) for page in newest] == [
        (2, 2, f"second {tasks[0].id}"),
        (2, 2, f"second {tasks[1].id}"),
    ]
    assert newest[0].fetched_at == later(60)
    assert newest[0].first_seen == NOW
    every = list(read_pages(archive, PageQuery(all_versions=True)))
    assert [(page.url.removeprefix(SITE), page.version) for page in every] == [("a", 1), ("a", 2), ("b", 1), ("b", 2)]
    assert every[0].title == f"first {tasks[0].id}"


def test_what_did_not_change_is_one_version_seen_again(archive: Archive) -> None:
    site, (task,) = begin(archive, "a")
    store_outcomes(archive, [done(task, "rye")])
    requeue(archive, site)
    (again,) = next_tasks(archive, site, HOST, 9, now=later(60))
    store_outcomes(archive, [Outcome(again, "done", later(60), status=304, seconds=0.1, is_unchanged=True)])
    (page,) = read_pages(archive, PageQuery(all_versions=True))
    assert (page.fetched_at, page.last_seen, page.versions, page.status) == (NOW, later(60), 1, 200)


def test_a_page_that_is_gone_is_still_read(archive: Archive) -> None:
    site, (task,) = begin(archive, "a")
    store_outcomes(archive, [done(task, "rye")])
    requeue(archive, site)
    (again,) = next_tasks(archive, site, HOST, 9, now=later(60))
    store_outcomes(archive, [Outcome(again, "gone", later(60), status=404, seconds=0.1)])
    (page,) = read_pages(archive, PageQuery())
    assert (page.text, page.gone_at) == (prose("rye"), later(60))


def test_a_duplicate_has_the_text_and_names_the_page_it_is_of(archive: Archive) -> None:
    _, tasks = begin(archive, "a", "b", "c")
    store_outcomes(archive, [done(tasks[0], "rye"), done(tasks[1], "rye"), done(tasks[2], "oats")])
    first, second, third = read_pages(archive, PageQuery())
    assert (first.duplicate_of, second.duplicate_of, third.duplicate_of) == (None, f"{SITE}a", None)
    assert first.text == second.text == prose("rye")
    assert paths(read_pages(archive, PageQuery(duplicates=False))) == ["a", "c"]
    assert paths(read_pages(archive, PageQuery(duplicates=False, all_versions=True))) == ["a", "c"]


def test_a_page_that_was_cut_off_says_so(archive: Archive) -> None:
    _, (task,) = begin(archive, "a")
    store_outcomes(archive, [done(task, cut_at_bytes=500)])
    (page,) = read_pages(archive, PageQuery())
    assert not page.is_complete


def test_sites_dates_and_kinds_narrow_what_is_read(archive: Archive) -> None:
    _, tasks = begin(archive, "a", "b", "c")
    store_outcomes(
        archive,
        [
            done(tasks[0], extracted=extracted("rye", kind="article"), at=NOW),
            done(tasks[1], extracted=extracted("oats", kind="Product"), at=later(60)),
            done(tasks[2], extracted=extracted("hay"), at=later(120)),
        ],
    )
    other = add_site(archive, "other.example", Url("http://other.example/"))
    add_urls(archive, other, [FoundUrl(Url("http://other.example/x"), "other.example")])
    (task,) = next_tasks(archive, other, "other.example", 9, now=NOW)
    store_outcomes(archive, [done(task, "barley")])

    def read(**wanted: object) -> list[str]:
        return paths(read_pages(archive, PageQuery(**wanted)))  # type: ignore[arg-type]

    assert read() == ["a", "b", "c", "http://other.example/x"]
    assert read(sites=("other.example",)) == ["http://other.example/x"]
    assert read(sites=(HOST,), since=later(60)) == ["b", "c"]
    assert read(sites=(HOST,), since=later(60), until=later(120)) == ["b"]
    assert read(kinds=("product", "ARTICLE")) == ["a", "b"]
    assert read(sites=("none.example",)) == []


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("*/news/*", ["news/a", "news/A_b", "news/AXb", "news/q?x=[1]"]),
        ("*/news/A*", ["news/A_b", "news/AXb"]),
        ("*A_b", ["news/A_b"]),
        ("*?x=[1]", ["news/q?x=[1]"]),
        ("*100%", ["100%"]),
        ("news", []),
    ],
)
def test_only_the_star_of_a_pattern_is_special(archive: Archive, pattern: str, expected: list[str]) -> None:
    _, tasks = begin(archive, "news/a", "news/A_b", "news/AXb", "news/q?x=[1]", "NEWS/a", "100%", "100x")
    store_outcomes(archive, [done(task) for task in tasks])
    assert paths(read_pages(archive, PageQuery(matches=(pattern,)))) == expected
    assert paths(read_pages(archive, PageQuery(matches=(pattern, "*/100x")))) == sorted(
        [*expected, "100x"], key=lambda path: [task.url for task in tasks].index(Url(f"{SITE}{path}"))
    )


def test_every_page_is_read_once_over_many_batches_while_others_come(
    archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scythe.archive.archive._BATCH", 100)
    monkeypatch.setattr("scythe.archive.retrieval._TOGETHER", 30)
    site, tasks = begin(archive, *(f"{number}" for number in range(250)))
    store_outcomes(archive, [done(task) for task in tasks])
    pages = read_pages(archive, PageQuery())
    first = [next(pages) for _ in range(150)]
    add_urls(archive, site, [FoundUrl(Url(f"{SITE}late"), HOST)])
    store_outcomes(archive, [done(task, at=later(5)) for task in next_tasks(archive, site, HOST, 9, now=later(1))])
    assert paths(iter([*first, *pages])) == [*(f"{number}" for number in range(250)), "late"]


def test_large_contents_are_read_one_by_one(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "scythe.archive.retrieval._TOGETHER_BYTES", 2_500
    )  # a body here has 1 000, by what is said of it
    _, tasks = begin(archive, *(f"{number}" for number in range(7)))
    store_outcomes(
        archive, [replace(done(task, raw=BODY), size=9_000 if task is tasks[3] else 1_000) for task in tasks]
    )
    assert paths(read_pages(archive, PageQuery())) == [f"{number}" for number in range(7)]
    assert len(list(read_raw(archive, PageQuery()))) == 7


def test_the_lists_of_a_page_keep_their_regions_and_order(archive: Archive) -> None:
    _, tasks = begin(archive, "a", "b")
    goods = RecordList(
        (
            Record(("Rake", "3"), (Url(f"{SITE}rake"),), (Url(f"{SITE}rake.jpg"),), "<li>Rake"),
            Record(("", "5"), (Url(f"{SITE}hoe"),)),
        ),
        ("name", "price"),
        "products",
    )
    news = region(("n2", "Second"), ("n1", "First"))
    store_outcomes(archive, [done(tasks[0], extracted=extracted("rye", lists=(news,)))])
    store_outcomes(
        archive, [done(tasks[1], extracted=extracted("oats", lists=(goods, region(("n1", "First"), ("n2", "2nd")))))]
    )
    first, second = read_pages(archive, PageQuery())
    assert first.lists == (news,)
    assert second.lists[0] == goods
    assert [record.fields for record in second.lists[1].records] == [("First",), ("2nd",)]


def test_a_version_has_the_records_of_its_time(archive: Archive) -> None:
    _, (task,) = begin(archive, "a")
    store_outcomes(archive, [done(task, extracted=extracted("one", lists=(region(("1", "One"), ("2", "Two")),)))])
    visit_again(archive, "two", 60, extracted=extracted("two", lists=(region(("2", "Two"), ("3", "Three")),)))

    def fields(page: StoredPage) -> list[str]:
        return [record.fields[0] for each in page.lists for record in each.records]

    (newest,) = read_pages(archive, PageQuery())
    assert fields(newest) == ["Two", "Three"]
    old, new = read_pages(archive, PageQuery(all_versions=True))
    assert (sorted(fields(old)), fields(new)) == (["One", "Two"], ["Two", "Three"])


def test_records_come_once_with_their_sightings(archive: Archive) -> None:
    _, tasks = begin(archive, "a", "b")
    columns = ("name", "price")
    store_outcomes(
        archive, [done(tasks[0], extracted=extracted("a", lists=(region(("1", "Rake", "3"), columns=columns),)))]
    )
    both = region(("1", "Rake", "4"), ("2", "Hoe", "5"), columns=columns)
    store_outcomes(archive, [done(tasks[1], extracted=extracted("b", lists=(both,)), at=later(60))])
    rake, hoe = read_records(archive, PageQuery())
    assert (rake.columns, rake.fields, rake.links) == (columns, ("Rake", "3"), (f"{SITE}1",))
    assert (rake.page, rake.site, rake.kind) == (f"{SITE}a", HOST, "list")
    assert (rake.first_seen, rake.last_seen, rake.sightings) == (NOW, later(60), 2)
    assert (hoe.fields, hoe.sightings) == (("Hoe", "5"), 1)
    assert [record.fields[0] for record in read_records(archive, PageQuery(since=later(1)))] == ["Hoe"]
    assert [record.fields[0] for record in read_records(archive, PageQuery(matches=("*/a",)))] == ["Rake"]
    assert list(read_records(archive, PageQuery(kinds=("table",)))) == []


def test_responses_are_read_as_they_came(archive: Archive) -> None:
    site, tasks = begin(archive, "a", "b", "c")
    gone = Outcome(tasks[2], "gone", NOW, status=404, seconds=0.1, raw=replace(BODY, status=404, body=b"gone"))
    store_outcomes(archive, [done(tasks[0], raw=BODY), done(tasks[1]), gone])
    first, second = read_raw(archive, PageQuery())
    assert (first.url, first.status, first.headers, first.body) == (f"{SITE}a", 200, BODY.headers, BODY.body)
    assert (first.fetched_at, first.is_complete) == (NOW, True)
    assert (second.status, second.body) == (404, b"gone")
    requeue(archive, site)
    (task, _) = next_tasks(archive, site, HOST, 9, now=later(60))
    store_outcomes(archive, [done(task, "new", raw=replace(BODY, body=b"new"), at=later(60), cut_at_bytes=3)])
    newest = [(raw.body, raw.is_complete) for raw in read_raw(archive, PageQuery())]
    assert newest == [(b"gone", True), (b"new", False)]
    assert [raw.body for raw in read_raw(archive, PageQuery(all_versions=True))] == [BODY.body, b"gone", b"new"]
    assert [raw.body for raw in read_raw(archive, PageQuery(since=later(1)))] == [b"new"]


def test_responses_of_pages_of_one_kind_and_of_no_duplicates(archive: Archive) -> None:
    _, tasks = begin(archive, "a", "b", "c")
    store_outcomes(
        archive,
        [
            done(tasks[0], raw=BODY, extracted=extracted("rye", kind="article")),
            done(tasks[1], raw=BODY, extracted=extracted("rye", kind="article")),
            done(tasks[2], raw=BODY, extracted=extracted("oats", kind="product")),
        ],
    )
    assert [raw.url for raw in read_raw(archive, PageQuery(kinds=("article",)))] == [f"{SITE}a", f"{SITE}b"]
    assert [raw.url for raw in read_raw(archive, PageQuery(duplicates=False))] == [f"{SITE}a", f"{SITE}c"]


def test_counting_agrees_with_reading(archive: Archive) -> None:
    _, tasks = begin(archive, *(f"{number}" for number in range(30)))
    lists = [region((f"{number % 20}", "Rake")) for number in range(30)]
    store_outcomes(
        archive,
        [
            done(task, f"{number % 10}", raw=BODY, extracted=extracted(f"{number % 10}", lists=(lists[number],)))
            for number, task in enumerate(tasks)
        ],
    )
    visit_again(archive, "other", 60, raw=BODY)
    for wanted in (
        PageQuery(),
        PageQuery(all_versions=True),
        PageQuery(duplicates=False),
        PageQuery(sites=(HOST,), since=later(1)),
    ):
        assert count(archive, select_versions(wanted, archive)) == len(list(read_pages(archive, wanted)))
        assert count(archive, select_records(wanted, archive)) == len(list(read_records(archive, wanted)))
        assert count(archive, select_responses(wanted, archive)) == len(list(read_raw(archive, wanted)))


def test_a_damaged_body_is_an_error_of_the_archive(tmp_path: Path) -> None:
    from sqlalchemy import update

    from scythe.archive.schema import BODIES

    with open_archive(tmp_path / "archive.db") as archive:
        _, (task,) = begin(archive, "a")
        store_outcomes(archive, [done(task, raw=BODY)])
        with archive.writing() as connection:
            connection.execute(update(BODIES).values(packed=b"\0nothing"))
        with pytest.raises(ArchiveFailed, match="damaged"):
            list(read_raw(archive, PageQuery()))


@pytest.mark.parametrize("size", [-2, 10_000_000_000])
def test_a_body_that_would_unpack_to_more_than_any_page_is_refused(size: int) -> None:
    bomb = pack(bytes(20_000_000))
    with pytest.raises(ArchiveFailed, match="damaged"):
        unpack(bomb, size)
    assert unpack(bomb, 20_000_000) == bytes(20_000_000)


def test_what_an_archive_of_a_stranger_defines_calls_no_function_that_is_not_harmless(tmp_path: Path) -> None:
    with open_archive(tmp_path / "archive.db") as archive, archive.reading() as connection:
        assert connection.exec_driver_sql("PRAGMA trusted_schema").scalar() == 0


@pytest.mark.slow
def test_memory_does_not_grow_with_the_archive(tmp_path: Path) -> None:
    with open_archive(tmp_path / "archive.db") as archive:
        site = add_site(archive, HOST, SITE)
        for start in range(0, 3_000, 500):
            add_urls(archive, site, [FoundUrl(Url(f"{SITE}{start + i}"), HOST) for i in range(500)])
            tasks = next_tasks(archive, site, HOST, 500, now=NOW + timedelta(days=1))
            store_outcomes(
                archive,
                [done(task, extracted=extracted(task.url, text=prose(task.url, 2_000)), raw=BODY) for task in tasks],
            )
        peaks = []
        for wanted in (PageQuery(matches=("*/1*",)), PageQuery()):
            tracemalloc.start()
            for read in (read_pages, read_records, read_raw):
                for _ in read(archive, wanted):
                    pass
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
    assert peaks[1] < 1.5 * peaks[0] + 500_000
