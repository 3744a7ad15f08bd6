import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.archive.visiting import HOST, NOW, begin, done, extracted, found, later, region

from scythe.archive.archive import Archive
from scythe.archive.frontier import add_urls, next_tasks, requeue
from scythe.archive.outcomes import store_outcomes
from scythe.archive.results import PageQuery, StoredRecord
from scythe.archive.retrieval import read_records
from scythe.archive.site_health import count_archive
from scythe.archive.stored_records import identify
from scythe.archive.stored_sites import add_site
from scythe.crawl_model import Outcome, Task
from scythe.model import Record, RecordList
from scythe.url import Url


def listing(task: Task, *regions: RecordList, **more: object) -> Outcome:
    return done(task, extracted=extracted(task.url, lists=regions), **more)


def records(archive: Archive) -> list[StoredRecord]:
    return list(read_records(archive, PageQuery()))


def test_a_record_is_stored_once_and_sighted_again(archive: Archive) -> None:
    site, (one, other) = begin(archive, "1", "2")
    (first,) = store_outcomes(archive, [listing(one, region(("a", "Lakes"), ("b", "Rivers")))])
    (second,) = store_outcomes(archive, [listing(other, region(("b", "Rivers"), ("c", "Seas")), at=later(60))])
    assert (first.records, first.sightings) == (2, 2)
    assert (second.records, second.sightings) == (1, 2)
    counts = count_archive(archive, site)
    assert (counts.records, counts.sightings) == (3, 4)
    assert [record.fields for record in records(archive)] == [("Lakes",), ("Rivers",), ("Seas",)]
    assert [record.sightings for record in records(archive)] == [1, 2, 1]


def test_two_pages_of_one_batch_share_a_record(archive: Archive) -> None:
    site, tasks = begin(archive, "1", "2")
    receipts = store_outcomes(archive, [listing(task, region(("a", "Lakes"))) for task in tasks])
    assert [(receipt.records, receipt.sightings) for receipt in receipts] == [(1, 1), (0, 1)]
    assert (count_archive(archive, site).records, count_archive(archive, site).sightings) == (1, 2)


def test_a_record_twice_on_a_page_is_one(archive: Archive) -> None:
    _, (task,) = begin(archive, "1")
    (receipt,) = store_outcomes(
        archive, [listing(task, region(("a", "Lakes"), ("a", "Lakes")), region(("a", "Lakes")))]
    )
    assert (receipt.records, receipt.sightings) == (1, 1)


def test_a_record_whose_text_changed_is_the_same_and_its_new_text_is_kept(archive: Archive) -> None:
    site, (task,) = begin(archive, "1")
    store_outcomes(archive, [listing(task, region(("a", "Boat", "$ 12"), columns=("title", "price")), body="1")])
    requeue(archive, site)
    (receipt,) = store_outcomes(
        archive, [listing(task, region(("a", "Boat", "$ 10"), columns=("title", "price")), body="2", at=later(60))]
    )
    assert (receipt.records, receipt.sightings) == (0, 1)
    with archive.reading() as connection:
        rows = connection.exec_driver_sql("SELECT times, first_at, last_at, fields FROM sightings").all()
    assert rows == [(2, NOW.timestamp(), later(60).timestamp(), '{"title":"Boat","price":"$ 10"}')]


def test_seeing_the_same_page_again_counts_its_records_again(archive: Archive) -> None:
    site, (task,) = begin(archive, "1")
    store_outcomes(archive, [listing(task, region(("a", "Lakes")))])
    requeue(archive, site)
    (receipt,) = store_outcomes(archive, [listing(task, region(("a", "Lakes")), at=later(60))])
    assert (receipt.stored, receipt.records, receipt.sightings) == ("same", 0, 1)
    assert [(record.sightings, record.last_seen) for record in records(archive)] == [(2, later(60))]


def test_records_without_links_are_told_by_their_text(archive: Archive) -> None:
    _, (one, other) = begin(archive, "1", "2")
    (first,) = store_outcomes(archive, [listing(one, region(("", "Lakes"), ("", "Rivers"), links=False))])
    (second,) = store_outcomes(archive, [listing(other, region(("", "Rivers "), ("", "Seas"), links=False))])
    assert (first.records, second.records) == (2, 1)


def test_records_that_all_lead_to_one_form_are_told_by_their_text_too(archive: Archive) -> None:
    _, (one, other) = begin(archive, "1", "2")
    (first,) = store_outcomes(archive, [listing(one, region(("login", "Lakes"), ("login", "Rivers")))])
    (second,) = store_outcomes(archive, [listing(other, region(("login", "Lakes"), ("login", "Seas")))])
    assert (first.records, second.records) == (2, 1)
    with archive.reading() as connection:
        rows = connection.exec_driver_sql("SELECT DISTINCT told_by FROM records").all()
    assert rows == [("both",)]


def test_two_sites_have_records_of_their_own(archive: Archive) -> None:
    _, (task,) = begin(archive, "1")
    other = add_site(archive, "other", task.url)

    store_outcomes(archive, [listing(task, region(("a", "Lakes")))])

    add_urls(archive, other, [found("1")])
    (there,) = next_tasks(archive, other, HOST, 1, now=NOW)
    (receipt,) = store_outcomes(archive, [listing(there, region(("a", "Lakes")))])
    assert receipt.records == 1


def test_more_records_than_one_query_takes_are_stored(archive: Archive) -> None:
    rows = [(str(number), f"Lake {number}") for number in range(1_203)]
    _, (one, other) = begin(archive, "1", "2")
    (first,) = store_outcomes(archive, [listing(one, region(*rows))])
    (second,) = store_outcomes(archive, [listing(other, region(*rows))])
    assert (first.records, second.records, second.sightings) == (1_203, 0, 1_203)


def test_fields_beyond_the_columns_are_kept() -> None:
    (one,) = identify([RecordList((Record(("a", "b")),), ("title",))])
    assert one.told_by == "fields"
    assert one.hash != identify([RecordList((Record(("a",)),), ("title",))])[0].hash


def test_records_of_pictures_alone_are_told_by_them() -> None:
    pictures = [Record(("",), images=(Url(f"http://site.example/{name}.png"),)) for name in "ab"]
    assert len(identify([RecordList(tuple(pictures), ("title",))])) == 2


LINKS = st.lists(st.sampled_from([Url(f"http://site.example/{name}") for name in "abcd"]), min_size=1, max_size=4)


@settings(max_examples=60, deadline=None)
@given(LINKS, st.randoms(use_true_random=False))
def test_the_order_of_links_does_not_matter(links: list[Url], random: object) -> None:
    mixed = list(links)
    random.shuffle(mixed)  # type: ignore[attr-defined]
    (one,) = identify([RecordList((Record(("x",), tuple(links)),), ("title",))])
    (other,) = identify([RecordList((Record(("y",), tuple(mixed)),), ("title",))])
    assert one.hash == other.hash


@pytest.mark.parametrize("told", ["links", "fields"])
def test_no_record_can_pass_for_one_of_another_kind(told: str) -> None:
    link = "http://site.example/a"
    (by_links,) = identify([RecordList((Record(("x",), (Url(link),)),), ("title",))])
    (by_fields,) = identify([RecordList((Record((link,)),), ("title",))])
    assert {"links": by_links, "fields": by_fields}[told].told_by == told
    assert by_links.hash != by_fields.hash
