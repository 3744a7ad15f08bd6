"""The lists of a page are known again through new records, redesigns, and changes of the page around them."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sites.replay import DRESSES, ListPage, Replay, ReplayClock, ReplayHost, ReplayList, ReplayRedesign
from tests.work import count_calls

from scythe.archive.stored_records import identify_each
from scythe.model import Record, RecordList
from scythe.page.page import Page
from scythe.reading.lists.find_lists import read_records
from scythe.reading.lists.own_link import own_links
from scythe.url import Url
from scythe.watching.list_identity import KnownList, compare_patterns, describe, is_redesigned, know_again

BUILD = "article(a(img),h3(a),p,time)"
OTHER_BUILD = "li(div(span,em),b(a),small,ul(li+))"


def story(section: str, number: int) -> Record:
    link = Url(f"https://news.example/{section}/what-happened-next-{section}-{10_000 + number}.html")
    return Record((f"What happened next in {section}, {number}", "3 May"), (link,))


def stories(section: str, numbers: range, pattern: str = BUILD, kind: str = "articles") -> RecordList:
    return RecordList(tuple(story(section, n) for n in numbers), ("title", "date"), kind, 0.8, pattern)


def keys_of(regions: Sequence[RecordList]) -> list[list[str]]:
    keys: list[list[str]] = [[] for _ in regions]
    for one in identify_each(regions):
        keys[one.listed].append(one.hash.hex())
    return keys


def as_known(regions: Sequence[RecordList]) -> list[KnownList]:
    return [
        KnownList(n + 1, region.pattern, region.kind, region.columns, describe(region), tuple(keys), n)
        for n, (region, keys) in enumerate(zip(regions, keys_of(regions), strict=True))
    ]


def known_again(before: Sequence[RecordList], now: Sequence[RecordList]) -> list[int | None]:
    return know_again(now, keys_of(now), as_known(before))


FRONT = [stories("world", range(30, 50)), stories("sport", range(10)), stories("town", range(100, 106))]


def renew(regions: Sequence[RecordList], pattern: str = BUILD, share: float = 0.0) -> list[RecordList]:
    """Give each region new records, a share of the old ones among them."""
    renewed = []
    for region in regions:
        section = region.records[0].links[0].split("/")[3]
        count = len(region.records)
        new = stories(section, range(5_000, 5_000 + count - round(share * count)))
        kept = region.records[: round(share * count)]
        renewed.append(replace(region, records=(*new.records, *kept), pattern=pattern))
    return renewed


def test_the_same_page_with_other_records_has_the_same_regions() -> None:
    assert known_again(FRONT, renew(FRONT)) == [0, 1, 2]


def test_regions_of_one_build_are_told_apart_in_any_order() -> None:
    assert known_again(FRONT, renew(FRONT)[::-1]) == [2, 1, 0]
    assert known_again(FRONT, renew(FRONT, share=0.3)[::-1]) == [2, 1, 0]


@pytest.mark.parametrize("share", [1.0, 0.5, 0.2])
def test_a_redesign_is_seen_through_by_the_records(share: float) -> None:
    new = [replace(region, columns=("what", "when"), kind="list") for region in renew(FRONT, OTHER_BUILD, share)]
    assert known_again(FRONT, new[::-1]) == [2, 1, 0]


def test_a_redesign_while_all_records_changed_is_seen_through_by_their_addresses() -> None:
    assert known_again(FRONT, renew(FRONT, OTHER_BUILD)) == [0, 1, 2]


def test_the_records_count_more_than_the_build() -> None:
    swapped = [replace(FRONT[0], pattern=OTHER_BUILD), stories("world", range(900, 920))]
    assert known_again([FRONT[0]], swapped) == [0, None]


def test_a_new_region_is_nobodys_heir() -> None:
    poll = RecordList(tuple(Record((f"Answer {n}",)) for n in range(4)), ("answer",), "table", 0.4, "tr(td,td)")
    assert known_again(FRONT, [*renew(FRONT), poll]) == [0, 1, 2, None]
    assert known_again([], FRONT) == [None, None, None]
    assert known_again(FRONT, []) == []


def test_a_region_that_vanishes_and_comes_back_is_the_same() -> None:
    away = know_again(renew(FRONT[:2]), keys_of(renew(FRONT[:2])), as_known(FRONT))
    assert away == [0, 1]
    known = [*as_known(renew(FRONT[:2])), replace(as_known(FRONT)[2], missing=4)]
    back = [FRONT[0], FRONT[1], stories("town", range(800, 806))]
    assert know_again(back, keys_of(back), known) == [0, 1, 2]


def test_of_the_halves_of_a_region_the_larger_one_is_the_region() -> None:
    whole = stories("world", range(20))
    assert known_again([whole], [stories("world", range(6)), stories("world", range(6, 20))]) == [None, 0]


def test_regions_that_became_one_are_the_larger_of_them() -> None:
    parts = [stories("world", range(6)), stories("world", range(6, 20))]
    assert known_again(parts, [stories("world", range(20))]) == [1]


def test_a_box_that_repeats_some_of_a_list_is_not_the_list() -> None:
    box = RecordList(FRONT[0].records[3:6], ("title",), "list", 0.5, "li(a)")
    before = [FRONT[0], box]
    now = [replace(box, records=FRONT[0].records[5:8]), stories("world", range(20, 40))]
    assert known_again(before, now) == [1, 0]


def test_lists_without_links_are_known_again() -> None:
    rows = [
        RecordList((Record((f"Water at {n} metres", "rising")),) * 3, ("level", "trend"), "table", 0.6, "tr(td,td)")
        for n in (3, 4)
    ]
    assert known_again(rows[:1], rows[1:]) == [0]


def test_a_pattern_that_is_none_is_like_no_other() -> None:
    assert compare_patterns("li((", "li(a)") == 0.0
    assert compare_patterns("", "") == 0.0
    assert compare_patterns("li(a,p)", "li(a,p?)") == 1.0


def test_a_redesign_is_noticed() -> None:
    assert is_redesigned(BUILD, OTHER_BUILD)
    assert not is_redesigned(BUILD, BUILD.replace(",p", ",p?"))
    assert not is_redesigned("", BUILD)


def test_a_description_names_folder_and_shape() -> None:
    assert describe(FRONT[1]) == ("news.example/sport /a/a-9.html",)
    assert describe(RecordList((Record(("x",)),), ("title",))) == ()


SECTIONS = st.lists(st.sampled_from(["world", "sport", "town", "arts"]), unique=True, min_size=1, max_size=4)


@settings(max_examples=60, deadline=None)
@given(SECTIONS, SECTIONS, st.integers(0, 40))
def test_no_two_regions_are_the_same_known_one(before: list[str], now: list[str], shift: int) -> None:
    old = [stories(section, range(20)) for section in before]
    new = [stories(section, range(shift, shift + 15)) for section in now]
    found = known_again(old, new)
    taken = [index for index in found if index is not None]
    assert len(taken) == len(set(taken))
    for section, index in zip(now, found, strict=True):
        if section in before and shift < 15:
            assert index == before.index(section)


def test_a_hundred_regions_of_a_hostile_page_are_compared_within_bounds() -> None:
    builds = [f"div({','.join(f'p{n % 7}(a,b{n},i)' for n in range(k, k + 14))})" for k in range(100)]
    many = [stories(f"s{n}", range(n, n + 5), build) for n, build in enumerate(builds)]
    assert known_again(many, many) == list(range(100))
    assert count_calls(lambda: known_again(many, many)) < 2_000_000


# -- a site that is redesigned ---------------------------------------------------------------------------------------

START = 1_660_000_000.0
HOUR = 3_600.0


def make_host(every_h: float) -> ReplayHost:
    shelves = (
        ReplayList("news", "News", tuple(START + 1_800.0 * n for n in range(-400, 800)), 24),
        ReplayList("wire", "From the wire", tuple(START + 60 + 900.0 * n for n in range(-800, 1_600)), 16),
    )
    redesigns = tuple(ReplayRedesign(START + n * every_h * HOUR - 1, n % len(DRESSES)) for n in range(6))
    pages = (ListPage("/news/", ("news", "wire")),)
    return ReplayHost(Replay(ReplayClock(START, speed=0.0), shelves, pages, redesigns), 0, "https://demo.example")


@pytest.mark.parametrize("every_h", [1.0, 6.0, 14.0])
def test_records_and_regions_survive_every_redesign_of_a_site(every_h: float) -> None:
    host = make_host(every_h)
    known: list[KnownList] = []
    named: dict[str, str] = {}  # story -> key
    for visit in range(6):
        moment = START + visit * every_h * HOUR
        body = host.answer("/news/", moment).body
        regions = read_records(Page.from_bytes(body, url="https://demo.example/news/"))
        keys = keys_of(regions)
        lists = [{one.plan.path for one in host.replay.newest(shelf, moment)} for shelf in host.replay.shelves]
        links = [{link.removeprefix("https://demo.example") for link in own_links(region)} for region in regions]
        places = [links.index(listed) for listed in lists]
        for region, ours in zip(regions, keys, strict=True):
            for link, key in zip(own_links(region), ours, strict=True):
                assert named.setdefault(link, key) == key
        if known:
            found = know_again(regions, keys, known)
            assert [found[place] for place in places] == [0, 1]
        known = [as_known(regions)[place] for place in places]
