"""Searching and looking at what was archived, as a person and as a program does it."""

import csv
import json
import threading
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from io import StringIO
from pathlib import Path
from random import Random
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import text
from tests.archive.visiting import HOST, NOW, SITE, begin, done, later, list_tasks, listed, region, watch
from tests.web.asking import Answer, call
from tests.web.conftest import NARROW, WIDE, Look, make_state
from tests.web.serving import serve_in_thread

from scythe.archive import search_index
from scythe.archive.archive import Archive
from scythe.archive.frontier import next_tasks, requeue
from scythe.archive.open import open_archive
from scythe.archive.outcomes import store_outcomes
from scythe.archive.results import NamedPieces, RecordHit, Snippet
from scythe.web.archive.archive import DownloadWanted, Indexing, SearchWanted, download_found, line_up, search_archive
from scythe.web.server import Serving
from scythe.web.state import BackgroundJob, State
from scythe.web.text_diff import TextDiff, align, compare_texts

HOSTILE = '<script>document.title="stolen"</script><img src=x onerror=alert(1)>'
FIRST = """The harvest in the northern valley was late this year, and nobody is quite sure why.
Farmers waited for rain until the middle of May; then it rained for three weeks without a pause.
The mill in Ardley, which has ground the valley's wheat since 1841, stood still for most of the spring.
"We have seen worse," said the miller, "but not since my grandfather's time."
Prices at the market rose by four per cent."""
SECOND = """The harvest in the northern valley was late this year, and nobody is quite sure why.
Farmers waited for rain until the end of May; then it rained for five weeks without a pause.
The mill in Ardley, which has ground the valley's wheat since 1841, stood still for most of the spring.
"We have seen worse," said the miller, "but not since my grandfather's time."
Prices at the market rose by nine per cent, more than in any year since records began.
The county has promised to help."""


def fill(archive: Archive) -> None:
    """Store documents, one of them in two versions, and a list that was watched twice."""
    site, tasks = begin(archive, "harvest", "hostile", "zh", "archive-of-notes")
    said = {
        "harvest": ("A late harvest in the valley", FIRST),
        "hostile": (HOSTILE, f"{HOSTILE} A harvest of scripts. " * 3),
        "zh": ("今年的收成", "今年的收成比去年好得多，农民们说雨水来得正是时候，北京的市场上粮食价格也稳定了下来。"),
        "archive-of-notes": ("Notes", "Nothing to see."),
    }
    outcomes = []
    for task in tasks:
        title, text = said[task.url.rpartition("/")[2]]
        outcomes.append(done(task, title, extracted=_extracted(title, text)))
    store_outcomes(archive, outcomes)
    requeue(archive, site)
    (again,) = [one for one in next_tasks(archive, site, HOST, 9, now=later(60)) if one.url.endswith("/harvest")]
    at = NOW + timedelta(days=2)
    store_outcomes(
        archive, [done(again, "second", at=at, extracted=_extracted("A very late harvest in the valley", SECOND))]
    )
    _fill_list(archive)


def _extracted(title: str, text: str) -> Any:
    from scythe.crawl_model import Extracted

    images = [{"src": "http://site.example/mill.jpg", "alt": "The mill", "relevant": True}]
    rest = {"metadata": {"author": HOSTILE, "kind": "article", "language": "en"}, "images": images}
    rest |= {"how": {"title": "auto", "text": "auto"}, "attributes": [["Length", "400 words"]]}
    return Extracted(title, text, f"# {title}\n\n{text}", None, json.dumps(rest), "article", "en")


def _fill_list(archive: Archive) -> None:
    site, task = watch(archive)
    columns = ("title", "price", "seller")
    rows = [
        (f"thing-{number}", f"{name} {HOSTILE if number == 3 else ''}".strip(), f"{12 + number}.50 €", "Ardley tools")
        for number, name in enumerate(["Old plough", "New sickle", "Harvest basket", "Whetstone", "Oak rake", "Scythe"])
    ]
    store_outcomes(archive, [listed(task, region(*rows, columns=columns))])
    (again,) = list_tasks(archive, site, later(3_600))
    cheaper = [("thing-2", "Harvest basket", "9.90 €", "Ardley tools"), *rows[:2], *rows[3:]]
    store_outcomes(archive, [listed(again, region(*cheaper, columns=columns), at=later(3_600))])


@pytest.fixture
def state(tmp_path: Path) -> State:
    """A state with a small archive and no pages at hand."""
    where = str(tmp_path / "archive.db")
    with open_archive(where) as archive:
        fill(archive)
    return make_state(tmp_path, [], archive=where)


@pytest.mark.parametrize("size", [WIDE, NARROW])
def test_somebody_finds_a_document_and_sees_what_changed_in_it(look: Look, size: tuple[int, int]) -> None:
    eyes = look("/archive", size=size)
    tab = eyes.tab
    eyes.shoot("archive")
    tab.get_by_label("Look for").fill("harvest")
    tab.get_by_label("Look for").press("Enter")
    assert tab.locator(".found li").count() == 2
    assert tab.locator(".found mark").first.inner_text().lower() == "harvest"
    assert eyes.overflow() <= 0
    eyes.shoot("archive-found")
    tab.get_by_role("link", name="A very late harvest in the valley").click()
    assert "nine per cent" in tab.inner_text("article")
    assert eyes.overflow() <= 0
    eyes.shoot("archive-document")
    tab.get_by_role("link", name="what changed").click()
    tab.get_by_role("heading", name="What changed").wait_for()
    assert tab.locator("article del").all_inner_texts() == ["A late harvest in the valley", "middle", "three", "four"]
    assert "nine" in tab.locator("article ins").all_inner_texts()
    assert eyes.overflow() <= 0
    eyes.shoot("archive-diff")


@pytest.mark.parametrize("size", [WIDE, NARROW])
def test_somebody_finds_a_record_and_sees_where_it_was(look: Look, size: tuple[int, int]) -> None:
    eyes = look("/archive", size=size)
    tab = eyes.tab
    tab.get_by_role("link", name="Records").last.click()
    assert tab.locator(".records tbody tr").count() == 6
    assert tab.locator(".records thead th").all_inner_texts() == ["title", "price", "seller", "first seen"]
    assert eyes.overflow() <= 0
    eyes.shoot("archive-records")
    tab.get_by_label("Look for").fill("basket")
    tab.get_by_label("Look for").press("Enter")
    tab.locator(".records a").click()
    assert tab.inner_text("h1") == "Harvest basket"
    assert "9.90 €" in tab.inner_text("section[aria-labelledby=sightings]")
    assert tab.locator("section[aria-labelledby=beside] tbody tr").count() == 4
    assert eyes.overflow() <= 0
    eyes.shoot("archive-record")


def test_hostile_titles_and_texts_are_shown_as_text(look: Look) -> None:
    eyes = look("/archive?q=scripts", dark=True)
    assert HOSTILE in eyes.tab.inner_text(".found h2")
    eyes.shoot("archive-found-dark")
    eyes.tab.locator(".found h2 a").click()
    assert HOSTILE in eyes.tab.inner_text("h1")
    assert eyes.tab.locator("main img, main script").count() == 0
    eyes.shoot("archive-document-dark")
    eyes.tab.goto(f"{eyes.own}/archive?what=records&q=whetstone")
    eyes.tab.locator(".records a").click()
    assert HOSTILE in eyes.tab.inner_text("h1")
    assert eyes.tab.title() != "stolen"


Get = Callable[[str], Answer]


@pytest.fixture
def get(serving: Serving) -> Get:
    """Ask the served state as a program does."""
    return partial(call, serving)


def test_programs_search_and_read_by_the_interface(get: Get) -> None:
    found = get("/api/search?q=valley").value
    assert (found["total"], found["next"], found["pending"]) == (1, "", 0)
    page = found["documents"][0]["page"]
    document = get(f"/api/documents/{page}").value
    assert (document["version"], document["text"], len(document["history"]["versions"])) == (2, SECOND, 2)
    assert get(f"/api/documents/{page}?version=1&chars=11").value["text"] == "The harvest"
    compared = get(f"/api/documents/{page}/diff").value
    assert (compared["old"], compared["new"], compared["text"]["changes"]) == (1, 2, 3)
    found = get("/api/search?q=plough&what=records").value
    record = get(f"/api/records/{found['records'][0]['record']}").value
    assert record["record"]["fields"]["price"] == "12.50 €"
    assert record["sightings"][0]["times"] == 2


ANSWERS = [
    ("/archive/page/999", 404),
    ("/archive/page/1?version=9", 404),
    ("/archive/page/2/diff", 409),
    ("/archive/page/1/diff?old=7", 404),
    ("/archive/page/999/diff", 404),
    ("/archive/record/999", 404),
    ("/archive?since=soon", 422),
    ("/archive?what=pages", 422),
    ("/archive/page/1?form=html", 422),
    ("/api/records/99999999999999999999", 422),
    ("/archive?q=%22*-)&site=nowhere&kind=x&until=2026-01-01&old=true&after=zzz", 200),
    ("/archive?site=&kind=&since=&until=&q=" + "x" * 10_000, 200),
    ("/archive/page/1?form=markdown&whole=true&version=1", 200),
    ("/archive?count=1&q=harvest&order=newest", 200),
]


def test_what_is_not_there_or_cannot_be_meant_is_said(get: Get) -> None:
    answers = [(path, get(path)) for path, _ in ANSWERS]
    assert [(path, answer.status) for path, answer in answers] == ANSWERS
    assert not any("Traceback" in answer.text for _, answer in answers)
    pages = [answer for path, answer in answers if not path.startswith("/api/")]
    assert all("script-src 'self'" in answer.headers["content-security-policy"] for answer in pages)


def test_results_are_paged_and_can_be_taken_away(get: Get) -> None:
    assert "after=n" in get("/archive?what=records&count=4").text
    lines = get("/archive/download?what=records&q=plough")
    assert (lines.status, lines.headers["content-disposition"].partition(";")[0]) == (200, "attachment")
    assert "records-1.jsonl" in lines.headers["content-disposition"]
    assert lines.value["fields"]["title"] == "Old plough"
    records = get("/archive/download?what=records&form=csv&q=plough")
    assert [row["title"] for row in csv.DictReader(StringIO(records.text))] == ["Old plough"]
    table = get("/archive/download?form=csv")
    assert "documents-4.csv" in table.headers["content-disposition"]
    assert {row["url"] for row in csv.DictReader(StringIO(table.text))} >= {f"{SITE}harvest", f"{SITE}zh"}
    assert "收成" in get("/archive?q=%E6%94%B6%E6%88%90").text


def test_an_empty_archive_says_how_to_fill_it(tmp_path: Path) -> None:
    with serve_in_thread(make_state(tmp_path, [], archive=str(tmp_path / "new.db"))) as served:
        assert b"scythe crawl" in call(served, "/archive").body
    with serve_in_thread(make_state(tmp_path, [])) as served:
        assert b"scythe ui --archive" in call(served, "/archive").body


def test_what_cannot_be_indexed_is_said_and_the_rest_is_found(state: State, serving: Serving) -> None:
    call(serving, "/archive")
    assert state.options.archive is not None
    with open_archive(state.options.archive) as archive:
        begin(archive, "later")
        (task,) = next_tasks(archive, 1, HOST, 1, now=NOW)
        store_outcomes(archive, [done(task)])
        with archive.writing() as connection:
            connection.execute(
                text("CREATE TRIGGER locked BEFORE INSERT ON search_documents BEGIN SELECT RAISE(FAIL, 'full'); END")
            )
    body = call(serving, "/archive?q=harvest").text
    assert "cannot be brought up to date" in body
    assert "A very late" in body


def test_a_long_index_is_made_beside_the_search(
    state: State, serving: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scythe.web.archive.archive._INDEX_S", -1.0)
    monkeypatch.setattr("scythe.web.archive.archive._INDEX_BESIDE_S", -1.0)
    monkeypatch.setitem(search_index._BATCH, "documents", 1)
    call(serving, "/archive")
    (job,) = state.jobs.seen("index")
    pause = threading.Event()
    while call(serving, f"/api/jobs/{job.number}").value["state"] == "running":
        pause.wait(0.02)
    assert call(serving, "/api/search?q=harvest").value["total"] == 2


def test_while_an_index_is_made_searches_do_not_wait_for_it(state: State) -> None:
    go_on = threading.Event()
    indexing = state.part(Indexing)
    job = indexing.job = state.jobs.start("index", "a long one", lambda job: go_on.wait(60))
    found = search_archive(state, SearchWanted(q="harvest"))
    assert (found.total, found.documents, indexing.job) == (0, (), job)
    assert found.pending > 0
    go_on.set()
    assert job.ended.wait(60)
    assert search_archive(state, SearchWanted(q="harvest")).total == 2


def test_an_index_that_is_stopped_leaves_the_rest_for_later(state: State) -> None:
    job = BackgroundJob(1, "index", "stopped before it began")
    job.stop()
    assert state.part(Indexing)._work(job) == 0
    assert search_archive(state, SearchWanted(q="harvest")).total == 2


@pytest.mark.parametrize(("what", "count"), [("documents", 4), ("records", 6)])
def test_a_download_that_is_too_long_is_named_as_the_first_part(
    state: State, what: Literal["documents", "records"], count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = download_found(state, DownloadWanted(what=what))
    monkeypatch.setattr("scythe.web.archive.archive._EXPORTED_CHARS", 10)
    short = download_found(state, DownloadWanted(what=what))
    assert (whole.file_name, whole.body.count(b"\n")) == (f"{what}-{count}.jsonl", count)
    assert (short.file_name, short.body.count(b"\n")) == (f"{what}-first-1.jsonl", 1)
    assert whole.body.startswith(short.body)


def hit(number: int, kind: str, **fields: str) -> RecordHit:
    """Return a record as a search gives it."""
    named = tuple(NamedPieces(name, (Snippet(text),)) for name, text in fields.items())
    return RecordHit(number, "a.example", "https://a.example/", kind, NOW, named, ())


def test_records_of_one_kind_share_a_table_and_others_get_their_own() -> None:
    rows = [
        hit(1, "list", title="Plough", price="12"),
        hit(2, "list", title="Sickle", seller="Ardley"),
        hit(3, "table", title="Rake", price="9"),
        hit(4, "table", year="1841"),
    ]
    grids = line_up(rows)
    assert [(grid.kind, grid.columns, len(grid.rows)) for grid in grids] == [
        ("list", ("title", "price", "seller"), 2),
        ("table", ("title", "price"), 1),
        ("table", ("year",), 1),
    ]


def kinds(diff: TextDiff) -> list[str]:
    return [block.kind for block in diff.blocks]


def test_a_text_that_did_not_change_is_folded() -> None:
    diff = compare_texts("one\ntwo\nthree", "one\ntwo\nthree")
    assert (kinds(diff), diff.changes) == (["folded"], 0)


def test_words_are_compared_inside_paragraphs_and_others_folded() -> None:
    before = [f"Paragraph {number} stays as it is." for number in range(20)]
    after = [*before[:10], "Paragraph 10 stays almost as it is.", *before[11:15], "New here.", *before[15:]]
    diff = compare_texts("\n".join(before), "\n".join(after))
    assert kinds(diff) == ["folded", "same", "changed", "same", "folded", "same", "inserted", "same", "folded"]
    assert [part.text for part in diff.blocks[2].parts if part.kind == "inserted"] == ["almost "]
    assert diff.changes == 2


def test_signs_of_scripts_without_spaces_are_compared_one_by_one() -> None:
    (block,) = compare_texts("今年的收成比去年好得多", "今年的收成比去年坏得多").blocks
    assert [(part.kind, part.text) for part in block.parts if part.kind != "same"] == [
        ("deleted", "好"),
        ("inserted", "坏"),
    ]


def test_another_paragraph_altogether_is_not_compared_word_by_word() -> None:
    diff = compare_texts("The quick brown fox jumps over it", "Prices at all markets rose by nine per cent")
    assert kinds(diff) == ["deleted", "inserted"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("same line\n" * 50_000, "same line\n" * 49_000 + "x\n"),
        ("a b " * 250_000, "b c " * 250_000),
        ("word " * 200_000, "word " * 100_000 + "x " + "word " * 100_000),
        (
            "\n".join(f"line {number % 7}" for number in range(80_000)),
            "\n".join(f"line {n % 11}" for n in range(80_000)),
        ),
    ],
    ids=["lines", "pairs", "word", "cycles"],
)
def test_a_megabyte_is_compared_in_bounded_time_and_shown_bounded(old: str, new: str) -> None:
    diff = compare_texts(old, new)
    assert len(diff.blocks) <= 500
    assert sum(len(part.text) for block in diff.blocks for part in block.parts) <= 500_000
    assert diff.changes


def test_paragraphs_that_moved_are_held_together_by_those_that_did_not() -> None:
    lines = [f"Line {number} says something of its own." for number in range(600)]
    moved = [*lines[300:310], *lines[:300], *lines[310:]]
    diff = compare_texts("\n".join(lines), "\n".join(moved))
    assert diff.changes == 20
    assert {block.kind for block in diff.blocks} == {"inserted", "deleted", "same", "folded"}


def test_of_more_changes_than_a_page_shows_the_others_are_counted() -> None:
    before = [f"Line {number} says something of its own." for number in range(1_000)]
    after = [
        f"Line {number} told us what the weather was." if number % 2 else line for number, line in enumerate(before)
    ]
    diff = compare_texts("\n".join(before), "\n".join(after))
    assert (diff.changes, len(diff.blocks)) == (500, 400)
    shown = sum(kind == "inserted" for kind in kinds(diff))
    assert 0 < shown < 500
    assert 500 - shown <= diff.left_out


def test_of_long_changes_so_much_is_shown_as_a_page_can_hold() -> None:
    before = "\n".join(f"{number} " + "x" * 1_400 for number in range(390))
    diff = compare_texts("", before)
    assert sum(len(part.text) for block in diff.blocks for part in block.parts) <= 400_000
    assert len(diff.blocks) + diff.left_out == diff.changes == 390
    assert diff.left_out > 50


def test_sequences_that_take_too_long_to_compare_are_covered_all_the_same() -> None:
    sizes = [*[141] * 30, *range(140, 1, -1)]
    draw, words = Random(7), [f"word {number}" for number in range(60)]
    one, other = (
        [token for number, size in enumerate(sizes) for token in (f"#{number}", *draw.choices(words, k=size))]
        for _ in range(2)
    )
    check_stretches(one, other)
    same = sum(stretch.end - stretch.start for stretch in align(one, other) if stretch.is_same)
    assert same > len(sizes)


@given(st.lists(st.sampled_from("abcd"), max_size=40), st.lists(st.sampled_from("abcd"), max_size=40))
def test_stretches_cover_both_sides_and_say_the_truth(one: list[str], other: list[str]) -> None:
    check_stretches(one, other)


def check_stretches(one: list[str], other: list[str]) -> None:
    start = first = 0
    for stretch in align(one, other):
        assert (stretch.start, stretch.first) == (start, first)
        same = one[stretch.start : stretch.end] == other[stretch.first : stretch.last]
        assert same or not stretch.is_same
        start, first = stretch.end, stretch.last
    assert (start, first) == (len(one), len(other))
