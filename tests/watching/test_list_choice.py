"""Lists of a page that were chosen: they alone are archived and planned for, through redesigns and restarts."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.watching.board import HOUR_S, Board, Stand, open_stand
from tests.watching.test_list_identity import BUILD, OTHER_BUILD, keys_of, stories

from scythe.archive.observations import lists_of_watch
from scythe.archive.open import open_archive
from scythe.archive.results import PageQuery, RecordKey
from scythe.archive.retrieval import read_records as stored_records
from scythe.archive.watches import watch_rows
from scythe.errors import BadInput
from scythe.model import RecordList
from scythe.page.page import Page
from scythe.reading.lists.find_lists import read_records
from scythe.watching.events import ListEvent, TroubleEvent
from scythe.watching.list_choice import Notes
from scythe.watching.list_identity import Chosen, choose_places, describe_lists
from scythe.watching.plan_report import read_plan
from scythe.watching.tracking import TrackedLists
from scythe.watching.watch_options import ListOptions

WORLD, SPORT, TOWN = stories("world", range(20)), stories("sport", range(30, 40)), stories("town", range(60, 72))


def choosing(regions: Sequence[RecordList], *places: int) -> ListOptions:
    chosen, others = choose_places(regions, places)
    return ListOptions(regions=chosen, others=others)


def picked(regions: Sequence[RecordList], options: ListOptions, notes: Notes | None = None) -> list[int]:
    """Return which of the regions are watched at a first visit, by place from 1 on."""
    lists = TrackedLists([], notes or Notes(), options)
    keys = [[RecordKey(key, False) for key in ours] for ours in keys_of(regions)]
    return [one.rank + 1 for one in lists.choose(regions, keys)]


def test_nothing_chosen_means_all_and_the_archive_keeps_what_was() -> None:
    options = choosing([WORLD, SPORT, TOWN], 2)
    assert ListOptions.from_json(options.to_json()) == options
    assert ListOptions.from_json('{"policy": "auto", "older_pages": 3}').regions == ()
    assert ListOptions.from_json('{"policy": "astrology", "regions": [{"place": 2}]}').regions == (Chosen(place=2),)


def test_notes_of_a_choice_survive_an_archive() -> None:
    notes = Notes(chosen={"ab": 3}, others=tuple(describe_lists([WORLD, SPORT])))
    assert Notes.from_json(notes.to_json()) == notes


@pytest.mark.parametrize("wrong", [{"place": -1}, {}, {"kind": ""}])
def test_a_choice_that_names_nothing_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(BadInput):
        Chosen(**wrong)  # type: ignore[arg-type]


def test_a_place_that_the_page_does_not_have_is_refused() -> None:
    with pytest.raises(BadInput, match="no list 4"):
        choose_places([WORLD, SPORT, TOWN], [2, 4])


def test_lists_are_chosen_by_number_or_kind() -> None:
    shop = RecordList(SPORT.records, SPORT.columns, "products", 0.5, OTHER_BUILD)
    page = [WORLD, shop, TOWN]
    assert picked(page, ListOptions(regions=(Chosen.named("3"),))) == [3]
    assert picked(page, ListOptions(regions=(Chosen.named(" Products "),))) == [2]
    assert picked(page, ListOptions(regions=(Chosen.named("2"), Chosen.named("articles")))) == [1, 2]
    assert picked(page, ListOptions(regions=(Chosen.named("9"), Chosen.named("jobs")))) == []


def test_another_list_is_not_taken_for_one_that_was_chosen_and_is_gone() -> None:
    options = choosing([WORLD, SPORT, TOWN], 2)
    assert picked([WORLD, TOWN], options) == []
    assert picked([TOWN, SPORT], options) == [2]


SECTIONS = st.lists(st.sampled_from(["world", "sport", "town", "arts", "money"]), unique=True, min_size=2, max_size=5)


@settings(max_examples=60, deadline=None)
@given(SECTIONS, st.data())
def test_one_of_several_lists_is_found_whatever_order_and_build_the_page_has_by_then(
    sections: list[str], data: st.DataObject
) -> None:
    chosen = data.draw(st.sampled_from(sections))
    shift = data.draw(st.integers(0, 30))
    build = data.draw(st.sampled_from([BUILD, OTHER_BUILD]))
    later = data.draw(st.permutations(sections))
    before = [stories(section, range(20)) for section in sections]
    now = [stories(section, range(shift, shift + 18), build) for section in later]
    options = ListOptions.from_json(choosing(before, sections.index(chosen) + 1).to_json())
    assert picked(now, options) == [later.index(chosen) + 1]


# -- against a server ------------------------------------------------------------------------------------------------


class TwoLists(Board):
    """A page with a second list: of notices, which lead elsewhere."""

    notices: range = range(500, 508)
    has_list: bool = True

    def front(self) -> str:
        rows = "".join(
            f'<tr><td>{n}</td><td><a href="/notice/{n}">Notice {n} of the town about its roads</a></td></tr>'
            for n in self.notices
        )
        return f"<table><tr><th>number</th><th>notice</th></tr>{rows}</table>"

    def page(self, number: int) -> str:
        page = super().page(number)
        if not self.has_list:
            start, end = page.index('<div class="list">'), page.index("</main>")
            page = page[:start] + page[end:]
        return page


@pytest.fixture
def stand(tmp_path: Path) -> Iterator[Stand]:
    board = TwoLists()
    board.add(10)
    with open_stand(tmp_path, board) as stand:
        yield stand


def page_lists(stand: Stand) -> tuple[RecordList, ...]:
    return read_records(Page.from_text(stand.board.page(1), url=stand.url))


def choose(stand: Stand, word: str) -> ListOptions:
    """Choose the list whose records lead to such addresses."""
    regions = page_lists(stand)
    assert len(regions) == 2
    place = next(n for n, region in enumerate(regions, 1) if f"/{word}/" in region.records[0].links[0])
    return choosing(regions, place)


def links(stand: Stand) -> set[str]:
    return {link.split("/")[3] for record in stored_records(stand.archive, PageQuery()) for link in record.links}


@pytest.mark.fault
def test_only_the_chosen_list_is_archived_and_planned_for(stand: Stand) -> None:
    stand.visit(choose(stand, "story"))
    plans = read_plan(stand.archive, (), stand.clock().now())
    assert (stand.stories(), links(stand)) == (list(range(101, 111)), {"story"})
    assert len(plans) == 1
    assert [row.rank for _, _, row in plans if row is not None] in ([0], [1])


@pytest.mark.fault
def test_the_chosen_list_is_followed_through_a_redesign_and_a_restart(stand: Stand, tmp_path: Path) -> None:
    options = choose(stand, "story")
    stand.visit(options)
    stand.board.add(13)
    stand.board.is_new_design = True
    stand.archive.close()
    with open_archive(tmp_path / "watch.db") as archive:
        stand.archive = archive
        stand.ahead_s += 48 * HOUR_S
        stand.go_on()
        assert (stand.stories(), links(stand)) == (list(range(101, 124)), {"story", "topic", "people"})
        (watch,) = watch_rows(archive)
        assert [row.number for row in lists_of_watch(archive, watch.id)] == [1]
    assert "redesigned" in [event.what for event in stand.events if isinstance(event, ListEvent)]


@pytest.mark.fault
def test_a_chosen_list_that_is_missing_is_told_and_no_other_watched_instead(stand: Stand) -> None:
    options = choose(stand, "story")
    stand.visit(options)
    stand.board.has_list = False  # type: ignore[attr-defined]
    stand.visit(options, after_s=48 * HOUR_S)
    (watch,) = watch_rows(stand.archive)
    troubles = [event.why for event in stand.events if isinstance(event, TroubleEvent)]
    assert troubles == ["no list that was chosen was found on it"]
    assert ([row.missing for row in lists_of_watch(stand.archive, watch.id)], links(stand)) == ([1], {"story"})
    stand.board.has_list = True  # type: ignore[attr-defined]
    stand.board.add(2)
    stand.visit(options, after_s=48 * HOUR_S)
    assert (stand.stories(), links(stand)) == (list(range(101, 113)), {"story"})


@pytest.mark.fault
def test_a_list_that_was_never_there_is_told_at_the_first_visit(stand: Stand) -> None:
    stand.visit(ListOptions(regions=(Chosen.named("7"),)))
    (watch,) = watch_rows(stand.archive)
    assert (links(stand), watch.attempts) == (set(), 1)
    assert [(event.what, event.number) for event in stand.events if isinstance(event, ListEvent)] == [("gone", 7)]


@pytest.mark.fault
def test_what_is_chosen_can_be_changed_and_taken_back(stand: Stand) -> None:
    stand.visit()
    both = links(stand)
    options = choose(stand, "notice")
    stand.board.add(3)
    stand.visit(options, after_s=48 * HOUR_S)
    plans = read_plan(stand.archive, (), stand.clock().now())
    assert (both, len(plans)) == ({"story", "notice"}, 1)
    assert stand.stories() == list(range(101, 111))
    stand.visit(after_s=48 * HOUR_S)
    assert stand.stories() == list(range(101, 114))
    assert len(read_plan(stand.archive, (), stand.clock().now())) == 2
