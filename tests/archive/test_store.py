from pathlib import Path

import pytest
from tests.archive.visiting import HOST, NOW, begin, done, extracted, found, later, prose

from scythe.archive.archive import Archive
from scythe.archive.frontier import add_urls, next_tasks, requeue
from scythe.archive.open import open_archive
from scythe.archive.outcomes import store_outcomes
from scythe.archive.results import PageQuery, StoredPage
from scythe.archive.retrieval import read_pages, read_raw
from scythe.archive.site_health import count_archive
from scythe.archive.stored_sites import add_site
from scythe.archive.verify import verify_archive
from scythe.crawl_model import Outcome, Raw, Receipt, Task
from scythe.errors import BadInput


def visit_again(archive: Archive, site: int) -> Task:
    requeue(archive, site)
    return next_tasks(archive, site, HOST, 1, now=NOW)[0]


def pages(archive: Archive, *, all_versions: bool = False) -> list[StoredPage]:
    return list(read_pages(archive, PageQuery(all_versions=all_versions)))


def test_a_page_is_stored_with_its_state_and_its_fetch(archive: Archive) -> None:
    site, (task,) = begin(archive, "a")
    (receipt,) = store_outcomes(archive, [done(task, "lakes")])
    assert (receipt.stored, receipt.page, receipt.version is not None) == ("new", task.id, True)
    (page,) = pages(archive)
    assert (page.url, page.title, page.text) == (task.url, "lakes", prose("lakes"))
    counts = count_archive(archive, site)
    assert (counts.states, counts.pages, counts.versions, counts.fetches) == ({"done": 1}, 1, 1, 1)


def test_nothing_is_stored_of_no_outcomes(archive: Archive) -> None:
    assert store_outcomes(archive, []) == []


def test_a_second_outcome_of_one_visit_is_lost(archive: Archive) -> None:
    site, (task,) = begin(archive, "a")
    first, second = store_outcomes(archive, [done(task, "lakes"), done(task, "rivers", found=(found("x"),))])
    assert (first.stored, second) == ("new", Receipt(task, "lost"))
    (third,) = store_outcomes(archive, [done(task, "rivers", found=(found("x"),))])
    assert third == Receipt(task, "lost")
    assert count_archive(archive, site).states == {"done": 1}
    assert [page.title for page in pages(archive)] == ["lakes"]


def test_receipts_come_in_the_order_of_outcomes(archive: Archive) -> None:
    _, tasks = begin(archive, "a", "b", "c")
    store_outcomes(archive, [done(tasks[1])])
    receipts = store_outcomes(archive, [done(tasks[2]), done(tasks[1]), done(tasks[0])])
    assert [(one.task, one.stored) for one in receipts] == [
        (tasks[2], "new"),
        (tasks[1], "lost"),
        (tasks[0], "new"),
    ]


def test_addresses_found_are_credited_to_the_first_page_that_names_them(archive: Archive) -> None:
    site, tasks = begin(archive, "a", "b")
    named = (found("x"), found("x"), found("y"), found("a"))
    receipts = store_outcomes(archive, [done(tasks[0], found=named), done(tasks[1], found=(found("y"), found("z")))])
    assert [receipt.found for receipt in receipts] == [2, 1]
    assert count_archive(archive, site).states == {"done": 2, "new": 3}


def test_a_body_that_did_not_change_adds_no_version(archive: Archive) -> None:
    site, (task,) = begin(archive, "a")
    (first,) = store_outcomes(archive, [done(task, "lakes")])
    (second,) = store_outcomes(archive, [done(visit_again(archive, site), "lakes", at=later(60))])
    assert (second.stored, second.version) == ("same", first.version)
    (page,) = pages(archive)
    assert (page.fetched_at, page.last_seen) == (NOW, later(60))
    assert count_archive(archive, site).fetches == 2


def test_a_body_that_changed_adds_a_version_and_keeps_the_old_one(archive: Archive) -> None:
    site, (task,) = begin(archive, "a")
    store_outcomes(archive, [done(task, "lakes")])
    (receipt,) = store_outcomes(archive, [done(visit_again(archive, site), "rivers", at=later(60))])
    assert receipt.stored == "changed"
    assert [page.text for page in pages(archive, all_versions=True)] == [prose("lakes"), prose("rivers")]
    assert [page.text for page in pages(archive)] == [prose("rivers")]
    assert count_archive(archive, site).versions == 2


def test_a_text_is_stored_once_where_only_what_is_around_it_changed(where: str) -> None:
    with open_archive(where) as archive:
        site, (task,) = begin(archive, "a")
        store_outcomes(archive, [done(task, "lakes", body="one")])
        (receipt,) = store_outcomes(archive, [done(visit_again(archive, site), "lakes", body="other")])
        assert (receipt.stored, receipt.duplicate_of) == ("changed", None)
        assert [page.text for page in pages(archive, all_versions=True)] == [prose("lakes")] * 2
        assert stored_texts(archive) == [prose("lakes")]


def stored_texts(archive: Archive) -> list[str]:
    with archive.reading() as connection:
        rows = connection.exec_driver_sql("SELECT text FROM extractions WHERE text IS NOT NULL ORDER BY version")
        return [text for (text,) in rows]


def test_not_modified_is_only_seen_and_fetched(archive: Archive) -> None:
    site, (task,) = begin(archive, "a")
    store_outcomes(archive, [done(task, etag='"1"')])
    again = visit_again(archive, site)
    (receipt,) = store_outcomes(archive, [Outcome(again, "done", later(60), status=304, is_unchanged=True)])
    assert receipt.stored == "same"
    assert (pages(archive)[0].last_seen, count_archive(archive, site).fetches) == (later(60), 2)
    assert visit_again(archive, site).etag == '"1"'


def test_not_modified_without_a_page_stores_none(archive: Archive) -> None:
    site, (task,) = begin(archive, "a")
    (receipt,) = store_outcomes(archive, [Outcome(task, "done", NOW, status=304, is_unchanged=True)])
    assert (receipt.stored, receipt.page, count_archive(archive, site).pages) == ("", None, 0)


def test_a_failed_visit_leaves_the_marks_to_ask_by_and_the_page(archive: Archive) -> None:
    site, (task,) = begin(archive, "a")
    store_outcomes(archive, [done(task, etag='"1"', modified="then")])
    store_outcomes(archive, [Outcome(visit_again(archive, site), "retry", later(1), why="timeout", seconds=60.0)])
    (again,) = next_tasks(archive, site, HOST, 1, now=later(1))
    assert (again.etag, again.modified, again.attempts) == ('"1"', "then", 1)
    assert count_archive(archive, site).pages == 1


def test_an_answer_without_marks_takes_the_old_ones_away(archive: Archive) -> None:
    site, (task,) = begin(archive, "a")
    store_outcomes(archive, [done(task, etag='"1"')])
    store_outcomes(archive, [done(visit_again(archive, site), "rivers")])
    assert visit_again(archive, site).etag == ""


def test_a_cut_body_is_kept_as_incomplete_where_there_is_nothing_better(where: str) -> None:
    with open_archive(where) as archive:
        site, (task,) = begin(archive, "a")
        (receipt,) = store_outcomes(archive, [done(task, "half", cut_at_bytes=500, etag='"1"')])
        assert (receipt.stored, pages(archive)[0].is_complete) == ("cut", False)
        again = visit_again(archive, site)
        assert (again.etag, again.body_hash) == ("", b"")
        (second,) = store_outcomes(archive, [done(again, "other half", cut_at_bytes=400)])
        assert (second.stored, second.version) == ("cut", receipt.version)
        (whole,) = store_outcomes(archive, [done(visit_again(archive, site), "whole")])
        assert whole.stored == "new"
        assert [(page.title, page.is_complete) for page in pages(archive)] == [("whole", True)]


def test_a_cut_body_never_changes_a_page(archive: Archive) -> None:
    site, (task,) = begin(archive, "a")
    (first,) = store_outcomes(archive, [done(task, "whole")])
    (receipt,) = store_outcomes(archive, [done(visit_again(archive, site), "half", cut_at_bytes=500)])
    assert (receipt.stored, receipt.version) == ("cut", first.version)
    assert [page.title for page in pages(archive, all_versions=True)] == ["whole"]


def test_a_page_that_is_gone_keeps_its_versions_and_may_come_back(archive: Archive) -> None:
    site, (task,) = begin(archive, "a")
    store_outcomes(archive, [done(task, "lakes")])
    (receipt,) = store_outcomes(archive, [Outcome(visit_again(archive, site), "gone", later(60), status=404)])
    assert (receipt.stored, pages(archive)[0].gone_at) == ("", later(60))
    requeue(archive, site, states=("gone",))
    (again,) = next_tasks(archive, site, HOST, 1, now=NOW)
    store_outcomes(archive, [Outcome(again, "gone", later(90), status=404)])
    assert pages(archive)[0].gone_at == later(60)
    requeue(archive, site, states=("gone",))
    store_outcomes(archive, [done(again, "lakes", at=later(120))])
    assert pages(archive)[0].gone_at is None


def test_pages_with_one_body_are_duplicates_however_short(archive: Archive) -> None:
    _, tasks = begin(archive, "a", "b", "c")
    short = extracted("x", text="Log in")
    receipts = store_outcomes(archive, [done(task, "x", extracted=short) for task in tasks[:2]])
    receipts += store_outcomes(archive, [done(tasks[2], "x", extracted=short)])
    assert [receipt.stored for receipt in receipts] == ["new", "duplicate", "duplicate"]
    assert [receipt.duplicate_of for receipt in receipts] == [None, tasks[0].id, tasks[0].id]


def test_pages_with_one_text_are_duplicates_and_the_text_is_stored_once(archive: Archive) -> None:
    _, tasks = begin(archive, "a", "b", "c")
    store_outcomes(archive, [done(task, "lakes", body=task.url) for task in tasks])
    assert [page.text for page in pages(archive)] == [prose("lakes")] * 3
    assert [page.duplicate_of for page in pages(archive)] == [None, tasks[0].url, tasks[0].url]
    assert stored_texts(archive) == [prose("lakes")]


def test_short_texts_make_no_duplicates(archive: Archive) -> None:
    _, tasks = begin(archive, "a", "b")
    short = extracted("x", text=prose("x", 199))
    receipts = store_outcomes(archive, [done(task, body=task.url, extracted=short) for task in tasks])
    assert [receipt.stored for receipt in receipts] == ["new", "new"]


def test_copies_of_a_page_that_changed_are_copies_of_the_newest_of_them(archive: Archive) -> None:
    site, tasks = begin(archive, "a", "b", "c")
    store_outcomes(archive, [done(task, "lakes") for task in tasks])
    requeue(archive, site)
    store_outcomes(archive, [done(tasks[0], "rivers")])
    assert [page.duplicate_of for page in pages(archive)] == [None, tasks[2].url, None]
    assert [page.text for page in pages(archive)] == [prose("rivers"), prose("lakes"), prose("lakes")]
    (receipt,) = store_outcomes(archive, [done(tasks[2], "rivers")])
    assert (receipt.stored, receipt.duplicate_of) == ("changed", tasks[0].id)
    assert [page.duplicate_of for page in pages(archive)] == [None, None, tasks[0].url]
    assert verify_archive(archive) == []


def test_no_page_is_a_copy_of_one_that_changed_together_with_the_first(archive: Archive) -> None:
    site, tasks = begin(archive, *"abcde")
    store_outcomes(archive, [done(task, "lakes") for task in tasks])
    requeue(archive, site)
    store_outcomes(archive, [done(task, "rivers") for task in (tasks[0], tasks[1], tasks[4])])
    lakes, rivers = tasks[3].url, tasks[0].url
    assert [page.duplicate_of for page in pages(archive)] == [None, rivers, lakes, None, rivers]
    store_outcomes(archive, [done(task, "rivers") for task in tasks[2:4]])
    assert [page.duplicate_of for page in pages(archive)] == [None, *[rivers] * 4]
    assert verify_archive(archive) == []


@pytest.mark.fault
def test_copies_that_change_one_after_the_other_are_not_written_again_each_time(tmp_path: Path) -> None:
    with open_archive(tmp_path / "a.db") as archive:
        site, tasks = begin(archive, *map(str, range(60)))
        store_outcomes(archive, [done(task, "lakes") for task in tasks])
        requeue(archive, site)
        with archive.writing() as connection:
            connection.exec_driver_sql("CREATE TABLE written (page INTEGER)")
            connection.exec_driver_sql(
                "CREATE TRIGGER note AFTER UPDATE ON pages BEGIN INSERT INTO written VALUES (new.id); END"
            )
        for task in tasks:
            store_outcomes(archive, [done(task, "rivers")])
        with archive.reading() as connection:
            assert connection.exec_driver_sql("SELECT count(*) FROM written").scalar_one() < 4 * len(tasks)


def test_pages_that_swap_their_texts_in_one_batch_keep_them(archive: Archive) -> None:
    site, tasks = begin(archive, "a", "b")
    store_outcomes(archive, [done(tasks[0], "lakes"), done(tasks[1], "rivers")])
    requeue(archive, site)
    store_outcomes(archive, [done(tasks[0], "rivers"), done(tasks[1], "lakes")])
    assert [page.text for page in pages(archive)] == [prose("rivers"), prose("lakes")]
    assert verify_archive(archive) == []


def test_a_page_that_takes_over_a_text_is_no_copy_of_the_one_that_lost_it(archive: Archive) -> None:
    site, tasks = begin(archive, "a", "b")
    store_outcomes(archive, [done(tasks[0], "lakes")])
    requeue(archive, site)
    receipts = store_outcomes(archive, [done(tasks[0], "rivers"), done(tasks[1], "lakes")])
    assert [(receipt.stored, receipt.duplicate_of) for receipt in receipts] == [("changed", None), ("new", None)]
    assert stored_texts(archive) == [prose("lakes"), prose("rivers")]
    assert [page.text for page in pages(archive)] == [prose("rivers"), prose("lakes")]


def test_a_copy_whose_surroundings_change_shares_the_text_still(archive: Archive) -> None:
    site, tasks = begin(archive, "a", "b")
    store_outcomes(archive, [done(task, "lakes", body=task.url) for task in tasks])
    requeue(archive, site)
    store_outcomes(archive, [done(tasks[0], "rivers", body="new"), done(tasks[1], "lakes", body="newer")])
    assert [page.duplicate_of for page in pages(archive)] == [None, None]
    assert [page.text for page in pages(archive)] == [prose("rivers"), prose("lakes")]
    assert stored_texts(archive) == [prose("lakes"), prose("rivers")]


def test_one_body_read_in_two_ways_keeps_both_texts(archive: Archive) -> None:
    site, tasks = begin(archive, "a", "b")
    store_outcomes(archive, [done(tasks[0], "lakes", body="one"), done(tasks[1], "lakes and rivers", body="one")])
    requeue(archive, site)
    (receipt,) = store_outcomes(archive, [done(tasks[1], "lakes and rivers", body="other")])
    assert (receipt.stored, receipt.duplicate_of) == ("changed", None)
    assert [page.text for page in pages(archive)] == [prose("lakes"), prose("lakes and rivers")]
    assert stored_texts(archive) == [prose("lakes"), prose("lakes and rivers")]


def test_more_outcomes_than_one_query_takes_are_one_transaction(archive: Archive) -> None:
    site, tasks = begin(archive, *(str(number) for number in range(620)))
    receipts = store_outcomes(archive, [*(done(task) for task in tasks), done(tasks[0])])
    assert [receipt.stored for receipt in receipts] == ["new"] * 620 + ["lost"]
    assert [receipt.task for receipt in receipts] == [*tasks, tasks[0]]
    assert count_archive(archive, site).states == {"done": 620}


def test_nearly_equal_texts_are_named_and_nothing_more(archive: Archive) -> None:
    _, tasks = begin(archive, "a", "b", "c")
    bits = (2**64 - 1, 2**64 - 1 - 0b111, 2**64 - 1 - 0b1111)
    outcomes = [done(task, extracted=extracted(task.url, simhash=b)) for task, b in zip(tasks, bits, strict=True)]
    receipts = store_outcomes(archive, outcomes[:1]) + store_outcomes(archive, outcomes[1:])
    assert [receipt.near for receipt in receipts] == [None, tasks[0].id, None]
    assert [receipt.stored for receipt in receipts] == ["new"] * 3


def test_a_response_is_kept_as_it_came_and_its_body_once(archive: Archive) -> None:
    _, tasks = begin(archive, "a", "b", "c")
    raw = Raw(200, (("Content-Type", "text/html"), ("X", "caf\xe9\x00")), b"<p>body</p>" * 100)
    store_outcomes(archive, [done(task, task.url, raw=raw) for task in tasks[:2]])
    store_outcomes(archive, [Outcome(tasks[2], "gone", NOW, status=404, raw=Raw(404, (), raw.body))])
    kept = list(read_raw(archive, PageQuery()))
    assert [(one.url, one.status, one.body) for one in kept] == [
        (task.url, status, raw.body) for task, status in zip(tasks, (200, 200, 404), strict=True)
    ]
    with archive.reading() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM bodies").scalar() == 1
    assert verify_archive(archive) == []


def test_what_asked_nothing_is_no_fetch(archive: Archive) -> None:
    site, (one, other) = begin(archive, "a", "b")
    store_outcomes(
        archive, [Outcome(one, "refused", NOW, why="robots.txt"), Outcome(other, "failed", NOW, seconds=1.0)]
    )
    counts = count_archive(archive, site)
    assert (counts.fetches, counts.states) == (1, {"refused": 1, "failed": 1})


def test_a_redirect_stores_where_it_leads(where: str) -> None:
    with open_archive(where) as archive:
        site, (task,) = begin(archive, "a")
        target = found("b", how="redirect", hops=1)
        (receipt,) = store_outcomes(archive, [Outcome(task, "redirect", NOW, status=301, found=(target,))])
        assert (receipt.stored, receipt.found) == ("", 1)
        (there,) = next_tasks(archive, site, HOST, 9, now=NOW)
        assert (there.url, there.hops) == (target.url, 1)


def test_an_outcome_with_an_unknown_state_is_refused_before_anything_is_stored(archive: Archive) -> None:
    site, tasks = begin(archive, "a", "b")
    with pytest.raises(BadInput, match="lost in space"):
        store_outcomes(archive, [done(tasks[0]), Outcome(tasks[1], "lost in space", NOW)])
    assert count_archive(archive, site).states == {"new": 2}


def test_outcomes_of_two_sites_are_stored_together(archive: Archive) -> None:
    _, (task,) = begin(archive, "a")
    other = add_site(archive, "other", task.url)
    add_urls(archive, other, [found("a")])
    (there,) = next_tasks(archive, other, HOST, 1, now=NOW)
    receipts = store_outcomes(archive, [done(task, found=(found("x"),)), done(there, found=(found("x"),))])
    assert [receipt.found for receipt in receipts] == [1, 1]
    assert receipts[1].duplicate_of == task.id
    assert (count_archive(archive, other).pages, count_archive(archive).pages) == (1, 2)


def test_a_body_without_a_hash_is_told_by_its_text(archive: Archive) -> None:
    site, (task,) = begin(archive, "a")
    plain = Outcome(task, "done", NOW, status=200, extracted=extracted("lakes"))
    store_outcomes(archive, [plain])
    requeue(archive, site)
    assert store_outcomes(archive, [plain])[0].stored == "same"
