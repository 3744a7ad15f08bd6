"""Searching an archive, in both databases: the same is found in both."""

import threading
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from sqlalchemy import event, text
from tests.archive.visiting import (
    HOST,
    NOW,
    SITE,
    begin,
    done,
    extracted,
    found,
    later,
    list_tasks,
    listed,
    region,
    watch,
)

from scythe.archive import search_index
from scythe.archive.archive import Archive
from scythe.archive.frontier import add_urls, next_tasks, requeue
from scythe.archive.history import read_history, read_listed, read_record_history
from scythe.archive.open import open_archive
from scythe.archive.outcomes import store_outcomes
from scythe.archive.results import Hits, Pieces, SearchQuery
from scythe.archive.retrieval import read_version
from scythe.archive.schema import VERSIONS
from scythe.archive.search import COUNTED, Snippets, found_pages, found_records, list_kinds, run_search
from scythe.archive.search_index import find_marks, fold, index_new, list_words, read_query
from scythe.archive.stored_sites import add_site
from scythe.archive.verify import verify_archive
from scythe.errors import ArchiveFailed, BadInput
from scythe.limits import LIMITS
from scythe.url import Url

STORIES = {
    "harvest": "The harvest was late. Farmers in the Händel valley waited for rain, and the rain came in May.",
    "market": "At the market the price of late wheat went up; nobody knew why it rained on market day.",
    "zh": "今年的收成比去年好得多，农民们说雨水来得正是时候。",
    "thai": "เกษตรกรบอกว่าปีนี้เก็บเกี่ยวได้ดี",
}


def fill(archive: Archive, stories: dict[str, str] = STORIES, at: datetime = NOW, **more: str) -> int:
    """Store a document for each story; return the site."""
    site, tasks = begin(archive, *stories)
    outcomes = []
    for task in tasks:
        name = task.url.rpartition("/")[2]
        outcomes.append(done(task, at=at, extracted=extracted(f"About {name}", text=stories[name], **more)))
    store_outcomes(archive, outcomes)
    return site


def look_for(archive: Archive, words: str = "", **more: object) -> Hits:
    index_new(archive, budget_s=60)
    return run_search(archive, SearchQuery(words, **more))  # type: ignore[arg-type]


def names(hits: Hits) -> list[str]:
    return [hit.url.rpartition("/")[2] for hit in hits.documents]


def marked(pieces: Pieces) -> list[str]:
    return [piece.text for piece in pieces if piece.is_match]


FINDS: list[tuple[str, set[str]]] = [
    ("harvest", {"harvest"}),
    ("LATE rain", {"harvest"}),
    ("late", {"harvest", "market"}),
    ("handel", {"harvest"}),
    ("HÄNDEL", {"harvest"}),
    ('"late wheat"', {"market"}),
    ('"wheat late"', set()),
    ("late -market", {"harvest"}),
    ("rain*", {"harvest", "market"}),
    ("收成", {"zh"}),
    ("好得多", {"zh"}),
    ("雨", {"zh"}),
    ("候", {"zh"}),  # the last sign of a sentence
    ("成收", set()),
    ("ปีนี้", {"thai"}),
    ("site.example", {"harvest", "market", "zh", "thai"}),  # addresses are found, too
    ("nothing", set()),
]


def test_words_find_the_documents_that_have_them(archive: Archive) -> None:
    fill(archive)
    hits = {words: look_for(archive, words) for words, _ in FINDS}
    assert {words: set(names(found)) for words, found in hits.items()} == dict(FINDS)
    assert {words: found.total for words, found in hits.items()} == {words: len(all_) for words, all_ in FINDS}


def test_what_was_looked_for_is_marked_in_the_text(archive: Archive) -> None:
    fill(archive)
    (hit,) = look_for(archive, "rain* handel").documents
    assert marked(hit.snippet) == ["Händel", "rain", "rain"]
    (chinese,) = look_for(archive, "收成比").documents
    assert marked(chinese.snippet) == ["收成比"]
    assert "".join(piece.text for piece in hit.snippet) == STORIES["harvest"]
    assert marked(hit.title) == []


def test_a_title_counts_more_than_the_text(archive: Archive) -> None:
    stories = {"plain": "word " * 30 + "barley", "barley": "word " * 31}
    fill(archive, stories)
    assert names(look_for(archive, "barley")) == ["barley", "plain"]
    assert names(look_for(archive, "barley", order="newest")) == ["barley", "plain"]


def test_without_words_the_newest_come_first(archive: Archive) -> None:
    fill(archive)
    assert names(look_for(archive)) == ["thai", "zh", "market", "harvest"]


@pytest.mark.parametrize("order", ["best", "newest"])
def test_pages_of_results_hold_together_while_more_is_stored(archive: Archive, order: str) -> None:
    fill(archive, {f"p{number}": f"Barley number {number}." for number in range(7)})
    first = look_for(archive, "barley", order=order, count=3)
    fill(archive, {"later": "Barley again."})
    seen, after = names(first), first.next
    while after:
        hits = look_for(archive, "barley", order=order, count=3, after=after)
        seen, after = seen + names(hits), hits.next
    assert sorted(seen) == [f"p{number}" for number in range(7)]
    assert first.total == 7


def test_what_a_document_said_before_is_found_on_request(archive: Archive) -> None:
    site = fill(archive, {"a": "First there was barley."})
    requeue(archive, site)
    (task,) = next_tasks(archive, site, HOST, 9, now=later(60))
    store_outcomes(archive, [done(task, "oats", at=later(60), extracted=extracted("Now", text="Then there was oats."))])
    assert names(look_for(archive, "barley")) == []
    (old,) = look_for(archive, "barley", all_versions=True).documents
    (new,) = look_for(archive, "oats").documents
    assert (old.version, old.versions, new.version) == (1, 2, 2)


def test_searches_are_narrowed_by_site_kind_and_time(where: str) -> None:
    with open_archive(where) as archive:
        fill(archive, {"a": "Barley one."}, kind="article")
        fill(archive, {"b": "Barley two."}, at=later(3_600), kind="Product")
        other = add_site(archive, "other.example", Url("http://other.example/"))
        add_urls(archive, other, [replace(found("c"), url=Url("http://other.example/c"), host="other.example")])
        (task,) = next_tasks(archive, other, "other.example", 9, now=NOW)
        store_outcomes(archive, [done(task, extracted=extracted("c", text="Barley three."))])
        assert names(look_for(archive, "barley", sites=("other.example",))) == ["c"]
        assert names(look_for(archive, "barley", sites=("nowhere.example",))) == []
        assert names(look_for(archive, sites=("other.example",))) == ["c"]
        assert names(look_for(archive, "barley", kinds=("product",))) == ["b"]
        assert names(look_for(archive, "barley", since=later(60))) == ["b"]
        assert set(names(look_for(archive, "barley", until=later(60)))) == {"a", "c"}
        assert list_kinds(archive, "documents") == ["Product", "article"]
        assert list_kinds(archive, "documents", ("other.example",)) == []


def test_records_are_found_by_their_fields_and_links(archive: Archive) -> None:
    _, task = watch(archive)
    rows = region(("thing-7", "Old plough", "$ 40"), ("thing-8", "New sickle", "$ 12"), columns=("title", "price"))
    store_outcomes(archive, [listed(task, rows)])
    (hit,) = look_for(archive, "PLOUGH", what="records").records
    assert [(one.name, marked(one.pieces)) for one in hit.fields] == [("title", ["plough"]), ("price", [])]
    assert [one.links for one in look_for(archive, "thing 8", what="records").records] == [(f"{SITE}thing-8",)]
    assert look_for(archive, what="records").total == 2
    assert look_for(archive).total == 0  # a list that is watched is no document
    assert list_kinds(archive, "records") == ["list"]


def test_only_so_many_results_are_counted(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scythe.archive.search.COUNTED", 3)
    fill(archive)
    hits = look_for(archive)
    assert (hits.total, hits.is_more) == (3, True)
    assert COUNTED >= 10_000


def test_the_index_is_made_bit_by_bit_and_says_what_it_lacks(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(search_index._BATCH, "documents", 3)
    fill(archive, {f"p{number}": f"Barley number {number}." for number in range(7)})
    assert run_search(archive, SearchQuery("barley")) == Hits(pending=7)
    assert list_kinds(archive, "documents") == []
    assert index_new(archive, budget_s=-1) == 4
    some = run_search(archive, SearchQuery("barley"))
    assert (some.total, some.pending) == (3, 4)
    assert index_new(archive, budget_s=60) == 0
    assert run_search(archive, SearchQuery("barley")).total == 7


def test_an_index_of_another_form_is_made_again(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(archive)
    assert look_for(archive, "harvest").total == 1
    monkeypatch.setattr(search_index, "FORM", 2)
    assert run_search(archive, SearchQuery("harvest")).pending == 4
    assert look_for(archive, "harvest").total == 1
    assert verify_archive(archive) == []


def test_what_appears_late_in_postgresql_is_found(postgres_url: str) -> None:
    """A transaction may take a low number and be stored after one with a higher number."""
    with open_archive(postgres_url) as slow, open_archive(postgres_url) as quick:
        site = fill(quick)
        with slow.writing(site) as connection:
            (number,) = slow.take_ids(connection, VERSIONS, 1)
            fill_elsewhere(quick)
            assert look_for(quick, "elsewhere").total == 1
            row = "SELECT :number, page, 2, at, body_hash, size, content_type, is_complete FROM versions WHERE id = 1"
            names_ = "id, page, number, at, body_hash, size, content_type, is_complete"
            connection.execute(text(f"INSERT INTO versions ({names_}) {row}"), {"number": number})
            said = (
                f"SELECT {number}, 'late', 'lateness', rest, kind, language, published, how, 0, 0, 0 FROM extractions"
            )
            columns = (
                "version, title, text, rest, kind, language, published, how, cut_fields, tree_fields, missing_fields"
            )
            connection.execute(text(f"INSERT INTO extractions ({columns}) {said} WHERE version = 1"))
        assert look_for(quick, "lateness", all_versions=True).total == 1
        assert look_for(quick, "lateness", all_versions=True).total == 1


def fill_elsewhere(archive: Archive) -> None:
    site = add_site(archive, "other.example", Url("http://other.example/"))
    add_urls(archive, site, [replace(found("x"), host="other.example")])
    (task,) = next_tasks(archive, site, "other.example", 9, now=NOW)
    store_outcomes(archive, [done(task, extracted=extracted("elsewhere"))])


def test_two_who_search_at_once_index_everything_once(where: str) -> None:
    with open_archive(where) as one, open_archive(where) as other:
        fill(one, {f"p{number}": f"Barley number {number}." for number in range(50)})
        workers = [threading.Thread(target=index_new, args=(each,), kwargs={"budget_s": 60}) for each in (one, other)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        assert run_search(one, SearchQuery("barley")).total == 50


def test_a_very_long_document_is_found_by_its_beginning(archive: Archive) -> None:
    long = "wheat " * (LIMITS.searched_chars // 6 + 10) + "straw"
    chinese = "".join(chr(0x4E00 + number % 20_000) for number in range(LIMITS.searched_chars))
    fill(archive, {"long": long, "zh": chinese})
    hits = look_for(archive, "wheat")
    assert (hits.total, hits.cut) == (1, 2)
    assert look_for(archive, "straw").total == 0
    assert len(look_for(archive, "wheat").documents[0].snippet) > 1


@pytest.mark.parametrize(
    "wrong",
    [SearchQuery(what="pages"), SearchQuery(order="oldest"), SearchQuery(count=0), SearchQuery(count=10_000)],
    ids=repr,
)
def test_a_search_that_cannot_be_meant_is_refused(tmp_path: Path, wrong: SearchQuery) -> None:
    with open_archive(tmp_path / "a.db") as archive, pytest.raises(BadInput):
        run_search(archive, wrong)


@pytest.mark.parametrize("after", ["n", "b1", "b1-2-3", "n-5", "n" + "9" * 50, "n٣", "x1", "n1; DROP TABLE pages"])
def test_a_cursor_that_is_none_begins_at_the_start(tmp_path: Path, after: str) -> None:
    with open_archive(tmp_path / "a.db") as archive:
        fill(archive)
        assert len(look_for(archive, after=after).documents) == 4


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Archive:
    """An archive that is only read."""
    archive = open_archive(tmp_path_factory.mktemp("shelf") / "a.db")
    fill(archive)
    index_new(archive, budget_s=60)
    return archive


ODD = st.text(st.sampled_from("abc harvest\"*-()':^+{}\x00\\&|!<>NEAR AND OR NOT雨収\ud800é\u0301%_"), max_size=60)


@given(st.one_of(st.text(max_size=200), ODD))
@example('"' * 10_000)
@example("harvest " * 2_000)
@example("NEAR(harvest rain, 2) AND title:x OR NOT *")
@example("\x00harvest")
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_nothing_that_is_typed_is_an_error(shelf: Archive, words: str) -> None:
    for what in ("documents", "records"):
        hits = run_search(shelf, SearchQuery(words, what=what))
        assert hits.total >= len(hits.documents)


def test_nothing_that_is_typed_is_an_error_in_postgresql(postgres_url: str) -> None:
    odd = [
        "'",
        "\\",
        "a\\'b",
        "'; DROP TABLE pages; --",
        ":*",
        "!",
        "a <-> b",
        "é\u0301'",
        "\x00",
        "(" * 999,
        "x" * 10_000,
        "雨'",
    ]
    with open_archive(postgres_url) as archive:
        fill(archive)
        index_new(archive, budget_s=60)
        assert all(run_search(archive, SearchQuery(words)).pending == 0 for words in odd)
        assert run_search(archive, SearchQuery("harvest")).total == 1


@given(st.text(max_size=300))
def test_a_text_is_found_by_any_of_its_words(said: str) -> None:
    words = list_words(said)
    for word in fold(said).split()[:5]:
        assert set(list_words(word)) <= {*words, *(word[-1] for word in words)}, (word, words)


@given(st.text(max_size=300), st.text(max_size=30))
def test_marks_are_in_order_and_inside_the_text(said: str, words: str) -> None:
    last = 0
    for begin_, end in find_marks(said, read_query(words)):
        assert last <= begin_ < end <= len(said)
        last = end


def test_too_many_words_are_told(tmp_path: Path) -> None:
    with open_archive(tmp_path / "a.db") as archive:
        fill(archive)
        assert look_for(archive, " ".join(f"w{number}" for number in range(40))).left_out == 16


def test_an_archive_that_may_only_be_read_is_searched_as_far_as_it_is_indexed(tmp_path: Path) -> None:
    with open_archive(tmp_path / "a.db") as archive:
        fill(archive)
        index_new(archive, budget_s=60)
        fill(archive, {"later": "Barley."})
        archive.close()
        event.listen(archive.engine, "connect", lambda connection, _: connection.execute("PRAGMA query_only = 1"))
        with pytest.raises(ArchiveFailed, match=r"could not be written .*readonly"):
            index_new(archive)
        hits = run_search(archive, SearchQuery("harvest"))
    assert (hits.total, hits.pending) == (1, 1)


def test_a_damaged_index_is_told_in_words(tmp_path: Path) -> None:
    with open_archive(tmp_path / "a.db") as archive:
        fill(archive)
        index_new(archive, budget_s=60)
        with archive.writing() as connection:
            connection.execute(text("UPDATE search_documents_words_data SET block = x'00ff' WHERE id > 10"))
        with pytest.raises(ArchiveFailed, match="damaged"):
            run_search(archive, SearchQuery("harvest"))


def test_a_look_at_one_document_tells_its_versions_and_requests(archive: Archive) -> None:
    site = fill(archive, {"a": "First there was barley."})
    requeue(archive, site)
    (task,) = next_tasks(archive, site, HOST, 9, now=later(60))
    rows = region(("thing-7", "Old plough"), ("thing-8", "New sickle"))
    new = extracted("Now", text="Then there was oats.", lists=(rows,))
    store_outcomes(archive, [done(task, "oats", at=later(60), extracted=new)])
    history = read_history(archive, task.id)
    assert history is not None
    assert [one.number for one in history.versions] == [2, 1]
    assert [one.status for one in history.fetches] == [200, 200]
    assert (history.fetched, history.records, history.is_list) == (2, 2, False)
    first, last = read_version(archive, task.id, 1), read_version(archive, task.id)
    assert first is not None
    assert last is not None
    assert (first.text, last.text) == ("First there was barley.", "Then there was oats.")
    assert read_version(archive, task.id, 3) is None
    assert read_history(archive, 999) is None
    assert [one.fields for one in read_listed(archive, task.id)] == [("Old plough",), ("New sickle",)]


def test_a_look_at_one_record_tells_where_it_was_seen(where: str) -> None:
    with open_archive(where) as archive:
        site, task = watch(archive)
        rows = [(f"thing-{number}", f"Thing {number}") for number in range(9)]
        store_outcomes(archive, [listed(task, region(*rows[3:]))])
        (again,) = list_tasks(archive, site, later(3_600))
        store_outcomes(archive, [listed(again, region(("thing-5", "Thing 5, sold"), *rows[:5]), at=later(3_600))])
        hit = look_for(archive, '"thing 5"', what="records").records[0]
        history = read_record_history(archive, hit.record)
        assert history is not None
        (sighting,) = history.sightings
        assert (sighting.times, sighting.place, sighting.is_list) == (2, 0, True)
        assert sighting.fields == {"title": "Thing 5, sold"}
        assert (sighting.first_at, sighting.last_at) == (NOW, later(3_600))
        assert [one.fields[0] for one in history.neighbours] == ["Thing 5", "Thing 0", "Thing 1", "Thing 2"]
        assert read_record_history(archive, 999) is None


def test_a_record_whose_place_is_not_known_has_no_neighbours(archive: Archive) -> None:
    _, task = watch(archive)
    store_outcomes(archive, [listed(task, region(("thing-7", "Old plough"), ("thing-8", "New sickle")))])
    with archive.writing() as connection:
        connection.execute(text("UPDATE sightings SET place = NULL"))
    history = read_record_history(archive, 1)
    assert history is not None
    assert history.neighbours == ()


def test_what_was_found_is_handed_out_as_exports_have_it(tmp_path: Path) -> None:
    with open_archive(tmp_path / "a.db") as archive:
        fill(archive)
        assert list(found_pages(archive, SearchQuery("harvest"))) == []  # nothing is indexed yet
        index_new(archive, budget_s=60)
        (page,) = found_pages(archive, SearchQuery("harvest"))
        assert page.text == STORIES["harvest"]
        assert list(found_records(archive, SearchQuery("harvest", what="records"))) == []


def test_very_long_documents_are_indexed_a_few_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_index, "_BATCH_CHARS", 50)
    with open_archive(tmp_path / "a.db") as archive:
        fill(archive)
        assert index_new(archive, budget_s=-1) == 3
        assert index_new(archive, budget_s=60) == 0


def test_a_snippet_is_given_up_when_it_takes_too_long() -> None:
    query = read_query("straw")
    said = "Strawberries. " + "wheat " * 2_000 + "straw"
    assert marked(Snippets(query).cut(said)) == ["straw"]
    assert marked(Snippets(query, budget_chars=5_000).cut(said)) == []


def test_marks_in_scripts_without_spaces_do_not_overlap() -> None:
    said = "收成收成比"
    assert [said[b:e] for b, e in find_marks(said, read_query("收成 成收"))] == ["收成"]
    wide = "ｱｶﾞｻ"  # folded, its signs are fewer
    assert [wide[b:e] for b, e in find_marks(wide, read_query("ガ"))] == [wide]
