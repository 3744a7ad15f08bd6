"""How far a list may fill: the tail of errors, the account of what was lost."""

import math
import random
import statistics

import pytest

from scythe.schedule.safety import AIM, KEPT, Budget, Errors, allowance, hidden, share_over


def normal_errors(spread: float, count: int = KEPT, seed: int = 1) -> list[float]:
    chance = random.Random(seed)
    return [max(0.0, chance.gauss(1.0, spread)) for _ in range(count)]


def loss(ratios: list[float], page: float) -> float:
    """The share of the records lost, counted."""
    return sum(max(0.0, ratio - page) for ratio in ratios) / sum(ratios)


@pytest.mark.parametrize("spread", [0.05, 0.15, 0.4])
@pytest.mark.parametrize("share", [0.001, 0.004, 0.007])
def test_the_page_that_keeps_a_share_keeps_it_on_new_errors(spread: float, share: float) -> None:
    page = Errors(normal_errors(spread)).widest(share)
    assert loss(normal_errors(spread, 200_000, seed=2), page) < 2 * share
    assert loss(normal_errors(spread, 200_000, seed=2), 1 + (page - 1) * 0.7) > share


def test_full_pages_count_as_at_least_so_much() -> None:
    whole = normal_errors(0.2)
    cut = [-1.3 if ratio >= 1.3 else ratio for ratio in whole]
    as_if_small = [min(ratio, 1.3) for ratio in whole]
    page = Errors(whole).widest(0.007)
    assert abs(Errors(cut).widest(0.007) - page) < 0.03
    assert Errors(as_if_small).widest(0.007) < page - 0.03


def test_the_share_lost_falls_with_the_page_and_is_met() -> None:
    errors = Errors(normal_errors(0.2))
    lost = [errors.lost(1 + step / 20) for step in range(200)]
    assert lost == sorted(lost, reverse=True)
    assert errors.lost(errors.widest(0.005)) == pytest.approx(0.005, rel=0.01)
    assert errors.lost(0.0) <= 1
    assert errors.lost(1e9) >= 0


def test_errors_are_forgotten_one_by_one() -> None:
    errors = Errors.assumed(30, 0.15)
    for _ in range(KEPT + 50):
        errors.add(1.0, is_full=False)
    assert errors.ratios == [1.0] * KEPT
    errors.add(2.0, is_full=True)
    errors.forget_full()
    assert errors.ratios == [1.0] * (KEPT - 1)


@pytest.mark.parametrize("ratios", [[], [0.0], [0.0] * KEPT, [-1.0] * KEPT, [1e9] * 10, [-1e9, 0.0]])
def test_any_errors_give_an_allowance_of_a_page_at_most(ratios: list[float]) -> None:
    budget = Budget()
    budget.open(30, 0.01)
    assert 0 < allowance(Errors(ratios), budget, 30, 0.01, full_in_row=0) <= 30


def test_an_allowance_is_never_better_than_a_perfect_forecast() -> None:
    for shown in (1, 2, 5, 40, 1_000):
        budget = Budget()
        budget.open(shown, 0.01)
        allowed = allowance(Errors([1.0] * KEPT), budget, shown, 0.01, full_in_row=0)
        assert share_over(allowed, shown) <= 0.01 * AIM * 1.1


def test_an_overdrawn_account_allows_less_and_a_good_one_more() -> None:
    errors, calm, poor, rich = Errors(normal_errors(0.2)), Budget(), Budget(), Budget()
    for budget, lost in ((calm, 3.0), (poor, 100.0), (rich, 0.0)):
        budget.open(30, 0.01)
        budget.add(lost / 0.01 / AIM if budget is calm else 500.0, lost, 1.0)
    allowed = [allowance(errors, budget, 30, 0.01, full_in_row=0) for budget in (poor, calm, rich)]
    assert allowed == sorted(allowed)
    assert allowed[0] < 0.8 * allowed[1]


def test_each_further_full_page_counts_more() -> None:
    errors, budget = Errors(normal_errors(0.2)), Budget()
    budget.open(30, 0.01)
    behind = [hidden(errors, 30, 30, 22.0, full_in_row) for full_in_row in (1, 2, 3, 4, 5)]
    assert behind[0] < behind[1] < behind[2] < behind[3] == behind[4]
    allowed = [allowance(errors, budget, 30, 0.01, full_in_row) for full_in_row in (0, 1, 2, 3)]
    assert allowed[0] == allowed[1] > allowed[2] > allowed[3]


def test_no_more_than_two_hundred_errors_are_kept() -> None:
    errors = Errors.from_plain([1.0] * 300)
    assert len(errors.ratios) == 200
    for _ in range(3):
        errors.add(1.2, is_full=False)
    assert errors.ratios == [1.0] * 197 + [1.2] * 3


def test_full_pages_at_the_end_are_forgotten_but_for_the_only_error() -> None:
    for before, after in (
        ([-1.0, -2.0], [-1.0]),
        ([-2.0], [-2.0]),
        ([1.0, -0.5], [1.0]),
        ([2.0, 0.0], [2.0, 0.0]),
        ([1.0, -1.0, 1.0, -3.0, -1.0], [1.0, -1.0, 1.0]),
    ):
        errors = Errors(before)
        errors.forget_full()
        assert errors.ratios == after
        assert vars(errors) == vars(Errors(after))


def test_the_tail_has_a_least_width_a_far_end_and_a_widest_page() -> None:
    calm = Errors([1.0] * KEPT)
    assert (calm.start, calm.scale, calm.share) == (0.0, 0.001, 0.2)
    width = calm.scale**0.5
    assert calm.beyond(1 + 6 * width) == pytest.approx(width / 12, rel=1e-12)
    assert calm.beyond(1 + 4 * width) == pytest.approx(width / 8, rel=0.04)
    assert calm.beyond(0.2) == pytest.approx(width * math.pi**0.5 / 2)
    assert Errors([1e9] * 10).widest(0.001) == 50


def test_errors_are_assumed_wider_the_fewer_records_a_list_shows() -> None:
    assert Errors.assumed(0, 0.4).ratios == Errors.assumed(1, 0.4).ratios
    spreads = []
    for shown in (1, 2, 30):
        logs = [math.log(ratio) for ratio in Errors.assumed(shown, 0.4).ratios]
        spreads.append(statistics.pvariance(logs))
    assert spreads == pytest.approx([0.16 + 1.4, 0.16 + 0.7, 0.16 + 1.4 / 30], rel=0.12)


def test_an_account_tightens_and_loosens_the_aim_so_far_and_no_further() -> None:
    errors, shown = Errors(normal_errors(0.4)), 30
    rich, poor = Budget(1_000.0, 0.0), Budget(1_000.0, 1e6)
    assert allowance(errors, rich, shown, 0.01, 0) == pytest.approx(shown / errors.widest(0.01 * AIM * 2.5))
    assert allowance(errors, poor, shown, 0.01, 0) == pytest.approx(shown / errors.widest(0.01 * AIM / 4) * 0.1**0.3)
    first = allowance(errors, rich, shown, 0.01, 1)
    fewer = [allowance(errors, rich, shown, 0.01, full) / first for full in (2, 3, 13, 14, 99)]
    assert fewer == pytest.approx([1.5**-1, 1.5**-2, 1.5**-12, 1.5**-12, 1.5**-12])


def test_behind_a_full_page_a_twentieth_of_it_is_assumed_at_least() -> None:
    errors = Errors([1.0] * KEPT)
    assert hidden(errors, 40, 40, 0.0, full_in_row=0) == 2.0
    assert hidden(errors, 40, 40, 0.0, full_in_row=9) == 2.0 * 27


@pytest.mark.parametrize(
    ("ratios", "start", "scale", "share"),
    [
        ([], 0.0, 0.001, 1.0),
        ([2.0], 1.0, 0.001, 0.0),
        ([3.0, 2.0], 1.0, 3.0, 0.5),
        ([3.0, 0.5, 0.4, 0.3, 0.2, 0.1], 0.0, 1.0, 4 / 6),
        ([3.0, -0.9, -0.8, -0.7, 0.1, 0.1], 0.0, 4.0, 4 / 6),
        ([-3.0, -2.0], 1.0, 3.0, 0.5),
    ],
)
def test_the_tail_is_fitted_to_the_largest_errors(
    ratios: list[float], start: float, scale: float, share: float
) -> None:
    errors = Errors(ratios)
    assert (errors.start, errors.scale, errors.share) == pytest.approx((start, scale, share))
    assert errors.lost(1.0) == pytest.approx(min(1.0, share * (math.pi * scale) ** 0.5 / 2))


def test_an_account_is_empty_until_it_is_opened() -> None:
    empty, none, one = Budget(), Budget(), Budget()
    assert (empty.seen, empty.lost) == (0.0, 0.0)
    none.open(0, 0.01)
    one.open(1, 0.01)
    assert vars(none) == vars(one) == {"seen": 15.0, "lost": pytest.approx(15 * 0.01 * AIM)}
