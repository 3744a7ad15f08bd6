"""What makes a record itself: it must survive what sites do to their lists, and never swallow another record."""

import pytest
from sqlalchemy import update
from tests.archive.visiting import begin, done, extracted, later

from scythe.archive.archive import Archive
from scythe.archive.frontier import requeue
from scythe.archive.outcomes import store_outcomes
from scythe.archive.schema import RECORDS, digest_text
from scythe.archive.site_health import count_archive
from scythe.archive.stored_records import Identity, identify, identify_each, known_records
from scythe.crawl_model import Outcome, Task
from scythe.model import Record, RecordList
from scythe.url import Url

BASE = "https://news.example"
COLUMNS = ("title", "text")


def record(name: str, *links: str, text: str = "", base: str = BASE) -> Record:
    return Record((f"Story about {name}", text or f"All there is to say about {name}"), urls(*links, base=base))


def urls(*links: str, base: str = BASE) -> tuple[Url, ...]:
    return tuple(Url(link if "://" in link else f"{base}{link}") for link in links)


def region(*records: Record, columns: tuple[str, ...] = COLUMNS, kind: str = "articles") -> RecordList:
    return RecordList(records, columns, kind)


def hashes(*regions: RecordList) -> list[bytes]:
    return [one.hash for one in identify_each(regions)]


NAMES = ["rain", "mills", "sheep", "bridges", "wells", "choirs"]
PLAIN = region(*(record(name, f"/story/{name}-{n}001") for n, name in enumerate(NAMES)))


def test_a_redesign_that_adds_links_changes_no_record() -> None:
    linked = region(
        *(
            record(name, f"/author/a{n % 2}", f"/story/{name}-{n}001", "/sport/", f"/story/{name}-{n}001#comments")
            for n, name in enumerate(NAMES)
        )
    )
    assert hashes(PLAIN) == hashes(linked)


def test_other_spellings_of_its_link_change_no_record() -> None:
    spelt = region(
        *(record(name, f"http://news.example:80/story/{name}-{n}001/?utm_source=x") for n, name in enumerate(NAMES))
    )
    assert hashes(PLAIN) == hashes(spelt)


def test_other_texts_change_no_record_that_has_a_link() -> None:
    edited = region(*(record(f"{name} again", *one.links) for name, one in zip(NAMES, PLAIN.records, strict=True)))
    assert hashes(PLAIN) == hashes(edited)


def test_a_story_in_two_lists_of_a_page_is_one_record() -> None:
    box = region(record("mills", "/story/mills-1001", text="Read most: the story about mills"))
    found = identify([PLAIN, box])
    assert len(found) == 6
    assert hashes(PLAIN, box)[6] == hashes(PLAIN)[1]


def test_a_remark_is_not_the_story_it_leads_to() -> None:
    remarks = region(record("mills", "/story/mills-1001", text="Well said"), kind="posts")
    assert len(identify([PLAIN, remarks])) == 7
    assert hashes(PLAIN, remarks)[:6] == hashes(PLAIN)


def test_something_else_with_the_same_link_is_another_record() -> None:
    other = region(Record(("Tickets for tonight", "from ten euros"), urls("/story/mills-1001")))
    assert len(identify([PLAIN, other])) == 7
    assert hashes(PLAIN, other)[:6] == hashes(PLAIN)


def test_a_story_shown_twice_in_a_list_is_one_record() -> None:
    again = record("rain", "/story/rain-0001", text="And in other words once more")
    assert hashes(region(*PLAIN.records, again)) == [*hashes(PLAIN), hashes(PLAIN)[0]]


def test_variants_that_share_a_page_are_records_of_their_own() -> None:
    boats = region(*(Record((f"Boat, {colour}", "12 euros"), urls("/boat")) for colour in ("red", "blue", "green")))
    assert len(identify([boats])) == 3
    assert {one.told_by for one in identify([boats])} == {"both"}


def test_columns_with_other_names_in_another_order_change_no_record_without_links() -> None:
    before = RecordList((Record(("Heavy rain over the hills", "3 May", "Ann")),), ("title", "date", "author"))
    after = RecordList((Record(("3 May", "", "Ann", "Heavy  rain over the hills")),), ("when", "x", "who", "what"))
    assert hashes(before) == hashes(after)


def test_short_texts_in_another_order_are_another_record() -> None:
    one = RecordList((Record(("Ann", "3", "Bob", "1")), Record(("Ann", "1", "Bob", "3"))), ("a", "b", "c", "d"))
    assert len(identify([one])) == 2


@pytest.mark.parametrize("links", [("/sport/",), ("/sport/", "/author/ann/"), ()])
def test_records_with_different_texts_are_never_one_without_a_link_of_their_own(links: tuple[str, ...]) -> None:
    alike = region(*(record(name, *links) for name in NAMES))
    assert len(identify([alike])) == len(NAMES)


# -- records of archives that knew them by all of their links ----------------------------------------------------------


def listing(task: Task, *regions: RecordList, **more: object) -> Outcome:
    return done(task, extracted=extracted(task.url, lists=regions), **more)


def old_hash(one: Identity) -> bytes:
    links = "\n".join(sorted({link.strip() for link in one.record.links}))
    said = "\n".join(f"{name}\t{text}" for name, text in zip(one.columns, one.record.fields, strict=True))
    return digest_text(f"links\n{links}" if links else f"fields\n{said}")


LINKED = region(
    *(
        record(name, f"/story/{name}-{n}001", f"/author/a{n % 2}", base="http://news.example")
        for n, name in enumerate(NAMES)
    ),
    Record(("No link leads anywhere", "3 May")),
)


def make_old(archive: Archive, site: int) -> None:
    """Give the records of an archive the identity that they would have had."""
    with archive.writing() as connection:
        for one in identify([LINKED]):
            query = update(RECORDS).where(RECORDS.c.site == site, RECORDS.c.identity == one.hash)
            assert connection.execute(query.values(identity=old_hash(one))).rowcount == 1


def test_the_old_hash_is_the_one_that_old_archives_have() -> None:
    assert [one.old_hash for one in identify([LINKED])] == [old_hash(one) for one in identify([LINKED])]
    assert all(one.old_hash == b"" for one in identify([PLAIN]))  # it is the same


def test_records_of_an_old_archive_are_known_again_and_survive_a_redesign(archive: Archive) -> None:
    site, (task,) = begin(archive, "1")
    store_outcomes(archive, [listing(task, LINKED, body="1")])
    make_old(archive, site)
    known = known_records(archive, site, [LINKED])
    assert all(one.is_known for one in known[0])
    requeue(archive, site)
    (receipt,) = store_outcomes(archive, [listing(task, LINKED, body="2", at=later(60))])
    assert (receipt.records, receipt.sightings) == (0, 7)
    requeue(archive, site)
    (receipt,) = store_outcomes(archive, [listing(task, PLAIN, body="3", at=later(120))])
    assert (receipt.records, receipt.sightings) == (0, 6)
    assert count_archive(archive, site).records == 7
