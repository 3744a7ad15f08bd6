"""What proves that no record fell off a list between two visits, and what only looks so."""

import pytest

from scythe.limits import LIMITS
from scythe.watching.tracking import judge_overlap, merge_pages, next_newest, next_sticky


def keys(text: str) -> list[str]:
    """Take every letter as a key."""
    return list(text)


OLD = keys("abcdefghij")  # what the last visit saw, a the newest


@pytest.mark.parametrize(
    ("shown", "why"),
    [
        ("XYZabcdefg", "three came"),
        ("abcdefghij", "none came"),
        ("RSTUVWXYZa", "all but one fell off"),
        ("XYZbdefgij", "some were deleted"),
        ("XYabQdefgh", "one was edited so that it looks new"),
        ("abcdefghiX", "one was deleted, and an older one moved up that nobody has seen"),
        ("Xabcdefgh", "the page is shorter"),
        ("QRSTUVWXYZabcdefghij", "an older page was read"),
        ("jXYZabcdef", "one was pinned"),
        ("jiXYZabcde", "two were pinned"),
    ],
)
def test_a_list_that_shows_the_newest_first_is_proven_by_what_follows_the_new_ones(shown: str, why: str) -> None:
    overlap = judge_overlap(keys(shown), set(OLD), OLD)
    assert overlap.is_proven, why
    assert [shown[place] for place in overlap.new] == [key for key in shown if key.isupper()]


@pytest.mark.parametrize(
    ("shown", "why"),
    [
        ("QRSTUVWXYZ", "nothing is left"),
        ("aQRSTUVWXY", "what is left may be pinned"),
        ("abQRSTUVWX", "both may be"),
        ("QRSTUVWXYj", "the last one cannot be left of ten: it is pinned to the end"),
        ("", "empty"),
    ],
)
def test_what_proves_nothing_is_not_taken_for_proof(shown: str, why: str) -> None:
    assert not judge_overlap(keys(shown), set(OLD), OLD).is_proven, why


def test_what_is_known_from_another_list_proves_nothing() -> None:
    overlap = judge_overlap(keys("UVWXYZ"), {*OLD, *"UVWXYZ"}, OLD)
    assert not overlap.is_proven
    assert overlap.new == ()


def test_what_is_known_to_be_pinned_proves_nothing() -> None:
    assert judge_overlap(keys("abcWXYZdef"), set(OLD), OLD, ()).is_proven
    assert not judge_overlap(keys("abTUVWXYZQ"), set(OLD), OLD, ("a", "b")).is_proven
    assert judge_overlap(keys("abTUVWXYZc"), set(OLD), OLD, ("a", "b")).is_proven


def test_what_was_pinned_and_sinks_proves_again() -> None:
    assert judge_overlap(keys("QRSTUVWXYa"), set(OLD), OLD, ("a",)).is_proven


@pytest.mark.parametrize(("shown", "is_proven"), [("aXbYcdZefg", True), ("QaRSbTUcVW", False)])
def test_a_list_in_another_order_needs_most_of_what_it_was(shown: str, is_proven: bool) -> None:
    assert judge_overlap(keys(shown), set(OLD), OLD).is_proven is is_proven


def test_a_forum_whose_threads_rise_again_is_proven_by_those_that_stayed() -> None:
    assert judge_overlap(keys("gXcabdefhi"), set(OLD), OLD).is_proven
    assert not judge_overlap(keys("gQcRSaTUVW"), set(OLD), OLD).is_proven


def test_the_first_visit_has_nothing_to_prove() -> None:
    overlap = judge_overlap(keys("abca"), {"b"}, ())
    assert overlap.is_proven
    assert overlap.new == (0, 2)


def test_the_keys_to_keep_are_those_shown_and_some_before() -> None:
    assert next_newest(keys("XYabc"), OLD) == tuple("XYabcdefgh")
    assert next_newest([], OLD) == tuple(OLD)
    assert next_newest(keys("aab")) == ("a", "b")
    assert len(next_newest([str(n) for n in range(5_000)])) == LIMITS.region_keys


def test_many_deletions_do_not_break_the_proof_once_older_ones_are_kept() -> None:
    newest = next_newest(keys("XYabcdefgh"), OLD)
    assert judge_overlap(keys("Zghij"), {*newest, *OLD}, newest).is_proven


def test_what_stays_above_new_ones_is_pinned_until_it_sinks() -> None:
    sticky = next_sticky(keys("aXYZbcdefg"), set(OLD), OLD)
    assert sticky == ("a",)
    assert next_sticky(keys("aXYZbcdefg"), {*OLD, *"XYZ"}, keys("aXYZbcdefg"), sticky) == ("a",)
    assert next_sticky(keys("QRSTUaXYZb"), {*OLD, *"XYZ"}, keys("aXYZbcdefg"), sticky) == ()


def test_a_list_that_grows_at_its_end_pins_nothing() -> None:
    assert next_sticky(keys("abcdefghiX"), set(OLD), OLD) == ()
    assert next_sticky(keys("XYZabcdefg"), set(OLD), OLD) == ()
    assert next_sticky([], set(OLD), OLD, ("a",)) == ()


def test_records_that_moved_to_the_next_page_while_it_was_read_count_once() -> None:
    assert merge_pages([keys("abc"), keys("cde"), keys("efa")]) == keys("abcdef")
    assert merge_pages([]) == []
