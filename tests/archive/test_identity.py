"""What makes a record itself: it must survive what sites do to their lists, and never swallow another record."""

import pytest

from scythe.archive.stored_records import identify, identify_each
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
