from __future__ import annotations

import json
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.work import count_calls

from scythe.errors import BadInput
from scythe.site.papers.position_hints import UNKNOWN, CutHints, HintLearner, HintOptions, critical_value

# Table 2 of the paper, row by row: position found, second search, position predicted before
TABLE_2 = [
    (22968, False, 0),
    (18364, True, 22968),
    (23516, False, 18364),
    (17160, True, 18364),
    (17901, False, 17160),
    (24459, False, 17160),
    (21957, False, 17160),
    (23378, False, 17160),
    (23649, False, 17160),
    (20679, False, 17160),
    (24301, False, 17160),
    (20859, False, 17160),
    (23814, False, 17160),
    (16543, True, 17160),
    (17961, False, 16543),
]


def test_table_2_of_the_paper_comes_out_row_by_row() -> None:
    learner = HintLearner()
    for page, (position, second, predicted) in enumerate(TABLE_2, start=1):
        hints = learner.predict()
        assert hints == CutHints(predicted, *((5, False) if page > 10 else (UNKNOWN, True))), page
        assert (position < hints.starting_position) == second, page
        learner.observe(position, 5, 1)


def find_minimum_as_printed(positions: list[int], deviation: float) -> int:
    """Algorithm 3 word for word: the first value is taken without a test."""
    mean, least = statistics.mean(positions), positions[0]
    for value in positions:
        if abs(mean - value) / deviation < critical_value(len(positions)) and least > value:
            least = value
    return least


def test_table_2_needs_the_sample_deviation_at_its_fourth_row() -> None:
    positions = [position for position, _, _ in TABLE_2[:3]]
    assert find_minimum_as_printed(positions, statistics.stdev(positions)) == 18364
    assert find_minimum_as_printed(positions, statistics.pstdev(positions)) == 22968


def test_an_outlier_is_ignored_even_where_it_came_first() -> None:
    positions = [500, *range(20_000, 20_100, 10)]
    learner = HintLearner()
    for position in positions:
        learner.observe(position, 1, 1)
    assert learner.predict().starting_position == 20_000
    assert find_minimum_as_printed(positions, statistics.stdev(positions)) == 500


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=60), st.integers(3, 20))
def test_the_least_is_the_smallest_value_that_passes_the_test(positions: list[int], window: int) -> None:
    learner = HintLearner(HintOptions(window=window))
    for position in positions:
        learner.observe(position, None, None)
    kept = positions[-window:]
    if len(kept) < 3 or len(set(kept)) == 1:
        assert learner.least == min(kept)
        return
    bound = statistics.mean(kept) - critical_value(len(kept)) * statistics.stdev(kept)
    assert all(value <= bound + 1e-6 for value in kept if value < learner.least)
    assert learner.least >= bound - 1e-6
    assert learner.least in kept


def test_a_position_that_left_the_ring_is_forgotten() -> None:
    learner = HintLearner(HintOptions(window=5))
    for position in [100, 900, 910, 920, 930, 940]:
        learner.observe(position, 1, 1)
    assert learner.predict().starting_position == 900


def test_ratios_follow_the_length_of_the_page() -> None:
    learner = HintLearner(HintOptions(as_ratio=True))
    for length in (10_000, 20_000, 40_000):
        learner.observe(length // 4, 1, 1, length)
    assert learner.predict(100_000).starting_position == 25_000
    assert learner.predict().starting_position == 0


def test_a_margin_begins_the_search_earlier() -> None:
    learner = HintLearner(HintOptions(margin=0.05))
    learner.observe(2_000, 1, 1)
    assert learner.predict().starting_position == 1_900


def test_a_page_without_the_element_teaches_nothing() -> None:
    learner = HintLearner()
    learner.observe(-1, None, 0)
    assert learner.predict() == CutHints()


def test_hints_are_decided_after_ten_pages_that_agree() -> None:
    learner = HintLearner()
    for page in range(20):
        assert learner.predict().inner_tag_count == (5 if page >= 11 else UNKNOWN)
        learner.observe(1_000, 5 if page else 4, 1)
    varying = HintLearner()
    for page in range(100):
        varying.observe(1_000, page % 3, 1)
        assert varying.predict().inner_tag_count == UNKNOWN


def test_inner_tags_that_differ_within_a_page_are_never_a_hint() -> None:
    learner = HintLearner()
    for _ in range(50):
        learner.observe(1_000, UNKNOWN, 3)
    assert learner.predict() == CutHints(0, UNKNOWN, True)


def test_hints_are_rechecked_now_and_then() -> None:
    learner = HintLearner(HintOptions(recheck_every=20))
    counted = []
    for page in range(100):
        hints = learner.predict()
        full = hints.repetition and hints.inner_tag_count == UNKNOWN
        if full:
            counted.append(page)
        learner.observe(1_000, 5 if full else None, 1 if full else None)
    assert counted == [*range(10), 30, 51, 72, 93]


def test_a_contradicted_hint_is_dropped_at_once_and_needs_more_pages_to_come_back() -> None:
    learner = HintLearner()
    for _ in range(10):
        learner.observe(1_000, 5, 1)
    assert learner.predict() == CutHints(1_000, 5, False)
    learner.observe(1_000, 6, 1)
    assert learner.predict() == CutHints(1_000, UNKNOWN, False)
    for _ in range(18):
        learner.observe(1_000, 6, 1)
    assert learner.predict().inner_tag_count == UNKNOWN
    learner.observe(1_000, 6, 1)
    assert learner.predict().inner_tag_count == 6


def test_a_tag_that_repeats_is_searched_from_the_start_of_the_page() -> None:
    learner = HintLearner()
    for _ in range(10):
        learner.observe(1_000, 5, 1)
    learner.observe(1_000, 5, 2)
    assert learner.predict() == CutHints(0, 5, True)
    for _ in range(20):
        learner.observe(1_000, 5, 1)
    assert learner.predict() == CutHints(1_000, 5, False)


@given(st.lists(st.tuples(st.integers(-1, 500), st.sampled_from([None, -1, 1, 2]), st.sampled_from([None, 0, 1, 2]))))
def test_a_learner_goes_on_from_its_json_as_if_it_had_never_stopped(
    pages: list[tuple[int, int | None, int | None]],
) -> None:
    options = HintOptions(decide_after=3, recheck_every=4, window=5)
    whole, halves = HintLearner(options), HintLearner(options)
    for page in pages:
        whole.observe(*page)
        halves.observe(*page)
        halves = HintLearner.load(json.loads(json.dumps(halves.dump())), options)
        assert halves.predict() == whole.predict()
        assert halves.dump() == whole.dump()


@pytest.mark.parametrize(
    "state",
    [
        HintLearner().dump()[:-1],
        [*HintLearner().dump(), "1"],
        [*HintLearner().dump(), -5],
        [*HintLearner().dump(), 1 << 70],
        [1.5, *HintLearner().dump()[1:]],
        [-2, *HintLearner().dump()[1:]],
    ],
)
def test_a_state_that_was_not_dumped_is_refused(state: list[object]) -> None:
    with pytest.raises(BadInput, match="hints"):
        HintLearner.load(state)


def test_memory_is_bounded_by_the_window() -> None:
    learner = HintLearner(HintOptions(window=10))
    for page in range(1_000):
        learner.observe(page, page, page)
    assert len(json.dumps(learner.dump())) < 200


def test_an_update_costs_the_same_however_much_was_learned() -> None:
    learner = HintLearner()

    def observe() -> None:
        for page in range(100):
            learner.observe(page * 7919 % 10_007, 5, 1)

    first = count_calls(observe)
    for _ in range(20):
        observe()
    assert count_calls(observe) <= 1.1 * first
