"""Marks of several people are kept side by side, compared, and never mixed up when a page changes."""

from __future__ import annotations

import pytest
from tests.site.labels.labelled import PAGE, image, labelled

from scythe.errors import BadInput
from scythe.limits import LIMITS
from scythe.model import ImageMarks, LabelledPage, PageImages
from scythe.site.labels.annotators import (
    Agreement,
    Conflict,
    agree,
    agreed_marks,
    find_conflicts,
    merge_labelled,
    page_key,
)

ANN = labelled("a.jpg", "b.jpg", "c.jpg", Ann=({0}, {1, 2}))
BO = labelled("a.jpg", "b.jpg", "c.jpg", Bo=({0, 1}, {2}))


def test_two_people_stand_side_by_side_and_their_conflicts_are_found() -> None:
    merged = merge_labelled([ANN], [BO])
    assert merged.labelled == (LabelledPage(BO.page, (*ANN.marks, *BO.marks)),)
    assert merged.conflicts == (Conflict(PAGE, "https://news.example/b.jpg", ("Bo",), ("Ann",)),)
    assert merged.replaced == ()


def test_the_same_person_again_replaces_what_was_said_of_the_page() -> None:
    again = labelled("a.jpg", "b.jpg", "c.jpg", Ann=({1}, {0}))
    merged = merge_labelled([labelled("a.jpg", "b.jpg", "c.jpg", Ann=({0}, {1, 2}), Bo=({0}, {1}))], [again])
    assert merged.labelled[0].marks == (ImageMarks("Bo", (0,), (1,)), ImageMarks("Ann", (1,), (0,)))
    assert merged.replaced == ((PAGE, "Ann"),)


def test_the_same_person_twice_at_once_is_taken_at_the_last_word() -> None:
    other = labelled("a.jpg", "b.jpg", "c.jpg", Ann=({1}, {0}))
    merged = merge_labelled([], [ANN, other])
    assert merged.labelled == (other,)
    assert merged.replaced == ((PAGE, "Ann"),)


def test_the_same_labels_again_change_nothing() -> None:
    merged = merge_labelled([ANN], [ANN])
    assert merged == ((ANN,), (), ())


def test_other_pages_are_left_alone() -> None:
    other = labelled("a.jpg", url="https://news.example/other.html", Ann=({0}, set()))
    assert merge_labelled([ANN], [other]).labelled == (ANN, other)


def test_a_page_that_changed_keeps_what_was_said_of_each_version() -> None:
    changed = labelled("new.jpg", "a.jpg", "b.jpg", Bo=({0, 2}, {1}))
    merged = merge_labelled([ANN], [changed])
    assert merged.labelled == (ANN, changed)
    assert merged.conflicts == (
        Conflict(PAGE, "https://news.example/a.jpg", ("Ann",), ("Bo",)),
        Conflict(PAGE, "https://news.example/b.jpg", ("Bo",), ("Ann",)),
    )


def test_the_same_person_on_a_changed_page_replaces_the_marks_of_the_old_version() -> None:
    changed = labelled("new.jpg", "a.jpg", Ann=({0}, {1}))
    merged = merge_labelled([ANN], [changed])
    assert merged.labelled == (changed,)
    assert merged.replaced == ((PAGE, "Ann"),)


def test_an_image_is_known_again_by_any_of_its_addresses() -> None:
    small = PageImages(PAGE, images=(image("https://x.example/s.jpg", "https://x.example/l.jpg"),))
    large = PageImages(PAGE, images=(image("https://x.example/l.jpg"), image("https://x.example/s.jpg")))
    both = [LabelledPage(small, (ImageMarks("Ann", (0,)),)), LabelledPage(large, (ImageMarks("Bo", (1,), (0,)),))]
    assert find_conflicts(both) == ()  # s.jpg is the nearer name
    assert len(find_conflicts([both[0], LabelledPage(large, (ImageMarks("Bo", (), (0, 1)),))])) == 1


def test_an_image_that_is_shown_twice_is_two() -> None:
    twice = labelled("a.jpg", "a.jpg", Ann=({0}, {1}), Bo=({0}, {1}))
    assert find_conflicts([twice]) == ()
    assert len(find_conflicts([labelled("a.jpg", "a.jpg", Ann=({0}, {1}), Bo=({1}, {0}))])) == 2


def test_pages_without_address_are_told_by_their_images() -> None:
    one, two = labelled("a.jpg", url="", Ann=({0}, set())), labelled("b.jpg", url="", Ann=({0}, set()))
    assert page_key(one.page) != page_key(two.page)
    assert len(merge_labelled([one], [two]).labelled) == 2


def test_agreement_is_counted_on_images_that_both_marked() -> None:
    page = labelled("a", "b", "c", "d", "e", Ann=({0, 1}, {2, 3}), Bo=({0}, {1, 2, 3, 4}))
    (agreement,) = agree([page])
    assert agreement == Agreement("Ann", "Bo", 4, 0.75, pytest.approx(0.5))


def test_agreement_allows_for_chance_only_where_there_are_two_kinds() -> None:
    assert agree([labelled("a", "b", Ann=(set(), {0, 1}), Bo=(set(), {0, 1}))])[0].kappa is None
    assert agree([labelled("a", "b", Ann=({0}, {1}), Bo=({0}, {1}))])[0].kappa == 1
    assert agree([labelled("a", "b", Ann=({0}, {1}), Bo=({1}, {0}))])[0].kappa == -1
    assert agree([ANN]) == ()
    assert agree([]) == ()


def test_of_very_many_people_those_who_marked_most_are_compared() -> None:
    crowd = {f"p{number:03}": ({0}, {1}) for number in range(100)}
    assert len(agree([labelled("a", "b", **crowd)])) == 190


def test_more_than_a_profile_holds_is_refused() -> None:
    many = [labelled("a", url=f"https://x.example/{n}", Ann=({0}, set())) for n in range(LIMITS.labelled_pages + 1)]
    with pytest.raises(BadInput, match="2001 labelled pages are more than a profile holds"):
        merge_labelled([], many)
    crowd = {f"p{number}": ({0}, set[int]()) for number in range(LIMITS.annotators + 1)}
    with pytest.raises(BadInput, match="more than 1000 people"):
        merge_labelled([], [labelled("a", **crowd)])


def test_most_people_decide_and_a_tie_says_nothing() -> None:
    page = labelled("a", "b", "c", "d", Ann=({0, 1}, {2}), Bo=({0}, {1, 2}), Cy=({0, 2}, set()))
    assert agreed_marks(page) == {0: True, 2: False}
