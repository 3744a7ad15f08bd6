"""What every policy keeps to, whatever its rule: goals, saved states, cold starts, odd visits."""

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scythe.errors import BadInput
from scythe.schedule.policies import DEFAULT, POLICIES, Foretold, make_policy, policy_kind
from scythe.watch_model import DAY_S, HOUR_S, WEEK_S, Goals, Observation, VisitPlan

NAMES = sorted(POLICIES)
NOW = 1_650_000_000.0
FLAT = [1.0] * 168


def visited(name: str, goals: Goals, counts: list[int], since_s: float = 6 * HOUR_S, shown: int = 30) -> Any:
    estimator = make_policy(name, goals)
    estimator.note(Observation(at=NOW, shown=shown, new=shown))
    for number, new in enumerate(counts, 1):
        at = NOW + number * since_s
        estimator.note(Observation(at=at, shown=shown, new=new, is_full=new >= shown, since_s=since_s))
    return estimator


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "goals",
    [Goals(), Goals(max_delay_s=2 * HOUR_S), Goals(floor_s=HOUR_S, ceiling_s=DAY_S), Goals(max_delay_s=60.0)],
    ids=["default", "max delay", "narrow", "max delay below the floor"],
)
def test_waits_keep_to_the_goals(name: str, goals: Goals) -> None:
    for counts in ([0] * 12, [30] * 12, [7, 0, 30, 2] * 3):
        estimator = visited(name, goals, counts)
        plan = estimator.plan(NOW + 4 * DAY_S)
        assert goals.floor_s <= plan.wait_s <= max(goals.floor_s, min(goals.ceiling_s, goals.max_delay_s or math.inf))
        assert 0 <= plan.risk <= 1
        assert plan.why


def assert_alike(one: VisitPlan, other: VisitPlan) -> None:
    """Two plans agree as far as a saved state, which may be rounded, can make them."""
    figures = [(plan.wait_s, plan.expected, plan.rate) for plan in (one, other)]
    assert figures[0] == pytest.approx(figures[1], rel=0.01, abs=1e-6)
    assert one.risk == pytest.approx(other.risk, rel=0.01, abs=0.001)
    assert one.why == other.why


@pytest.mark.parametrize("name", NAMES)
def test_a_saved_state_plans_as_before(name: str) -> None:
    estimator = visited(name, Goals(), [3, 9, 0, 12, 30, 1])
    again = make_policy(name, Goals(), json.loads(json.dumps(estimator.to_plain())))
    at = NOW + 2 * DAY_S
    assert_alike(again.plan(at), estimator.plan(at))
    assert again.to_plain() == estimator.to_plain()
    for one in (estimator, again):
        one.note(Observation(at=at + HOUR_S, shown=30, new=4, since_s=HOUR_S))
    assert_alike(again.plan(at + HOUR_S), estimator.plan(at + HOUR_S))


DAMAGE: list[Any] = [
    {},
    {"policy": "other", "version": 1},
    {"version": 99},
    {"shown": "many"},
    {"shown": None},
    {"counted": float("nan")},
    {"counted": True},
    {"over_s": -1.0},
    {"over_s": 1e300},
    {"watched_s": [1]},
    {"profile": "flat"},
    {"profile": [1.0] * 3},
    {"profile": [0.0] * 168},
    {"profile": [None] * 168},
    {"smoothed": {}},
    {"every_s": "1h"},
]


SAVED = {name: set(make_policy(name, Goals()).to_plain()) for name in NAMES}


@pytest.mark.parametrize(
    ("name", "damage"), [(name, damage) for name in NAMES for damage in DAMAGE if set(damage) <= SAVED[name]]
)
def test_a_damaged_or_foreign_state_starts_anew(name: str, damage: dict[str, Any]) -> None:
    new = make_policy(name, Goals())
    state = {**visited(name, Goals(), [3, 9]).to_plain(), **damage} if damage else {}
    again = make_policy(name, Goals(), state)
    assert again.to_plain() == new.to_plain()
    assert again.plan(NOW) == new.plan(NOW)


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("fixed", "adaptive")])
def test_a_cold_start_waits_briefly_and_then_longer_where_nothing_comes(name: str) -> None:
    estimator = make_policy(name, Goals())
    estimator.note(Observation(at=NOW, shown=30, new=30))
    now, waits = NOW, []
    for _ in range(12):
        wait_s = estimator.plan(now).wait_s
        waits.append(wait_s)
        now += wait_s
        estimator.note(Observation(at=now, shown=30, new=0, since_s=wait_s))
    assert waits[0] <= 2 * HOUR_S
    assert waits[-1] > 4 * waits[0]
    assert max(wait for at, wait in enumerate(waits) if sum(waits[:at]) < WEEK_S) <= DAY_S


@pytest.mark.parametrize("name", ["average", "ses", "poisson", "seasonal"])
def test_dates_on_the_first_page_give_a_rate(name: str) -> None:
    estimator = make_policy(name, Goals())
    ages = [*range(29), 3_000]  # one that always stays on top
    dates = tuple(NOW - age * HOUR_S for age in ages)
    estimator.note(Observation(at=NOW, shown=30, new=30, published=dates))
    assert 20 < estimator.plan(NOW).rate < 48  # 24 came a day; without dates the guess is 360


@pytest.mark.parametrize("name", NAMES)
def test_odd_visits_do_no_harm(name: str) -> None:
    estimator = visited(name, Goals(), [5, 5, 5, 5])
    before = estimator.plan(NOW + DAY_S)
    for since_s in (0.0, -DAY_S, None):  # the clock was set back, or nobody knows
        estimator.note(Observation(at=NOW + DAY_S, shown=30, new=2, since_s=since_s))
    assert estimator.plan(NOW + DAY_S) == before
    estimator.note(Observation(at=NOW + 400 * DAY_S, shown=30, new=30, is_full=True, since_s=400 * DAY_S))
    after = estimator.plan(NOW + 400 * DAY_S)
    assert after.rate == pytest.approx(before.rate)
    assert Goals().floor_s <= after.wait_s <= Goals().ceiling_s


@pytest.mark.parametrize("name", NAMES)
def test_the_hours_expected_add_up_to_the_rate(name: str) -> None:
    estimator = policy_kind(name).started(Goals(), 30, 2 / HOUR_S, FLAT)
    rates = estimator.rates(NOW, 168)
    assert len(rates) == 168
    assert sum(rates) == pytest.approx(336, rel=0.1)


def test_an_unknown_policy_is_named() -> None:
    with pytest.raises(BadInput, match="seasonal"):
        make_policy("weekly", Goals())


@given(
    st.sampled_from(NAMES),
    st.lists(
        st.tuples(st.integers(0, 10_000), st.floats(-1e9, 1e10, allow_nan=False), st.integers(0, 2_000)), max_size=12
    ),
)
def test_no_history_leads_out_of_the_bounds(name: str, visits: list[tuple[int, float, int]]) -> None:
    goals, at = Goals(max_delay_s=5 * DAY_S), NOW
    estimator = make_policy(name, goals)
    for new, since_s, shown in visits:
        at = min(max(at + since_s, 0.0), 1e11)
        estimator.note(Observation(at=at, shown=shown, new=new, is_full=0 < shown <= new, since_s=since_s))
        plan = estimator.plan(at)
        assert goals.floor_s <= plan.wait_s <= 5 * DAY_S
        assert 0 <= plan.risk <= 1
        assert math.isfinite(plan.expected)
        assert math.isfinite(plan.rate)
    state = json.dumps(estimator.to_plain())
    assert json.dumps(make_policy(name, goals, json.loads(state)).to_plain()) == state


def test_who_wishes_nothing_gets_the_default() -> None:
    assert DEFAULT == "auto"
    assert {name: make_policy(name, Goals()).to_plain()["policy"] for name in NAMES} == {name: name for name in NAMES}


def test_what_was_foretold_is_written_down_hour_by_hour() -> None:
    plain = policy_kind("fixed").started(Goals(max_delay_s=2.5 * HOUR_S), 30, 2 / HOUR_S, FLAT)
    foretold = Foretold(plain, NOW + 6 * HOUR_S)
    assert foretold.plan(NOW).wait_s == 2.5 * HOUR_S
    assert foretold.forecast == []
    plan = foretold.plan(NOW + 3.5 * HOUR_S)
    assert plan == plain.plan(NOW + 3.5 * HOUR_S)
    assert foretold.forecast == [(NOW + (3.5 + hour) * HOUR_S, pytest.approx(2.0)) for hour in range(3)]
    assert foretold.rates(NOW, 5) == plain.rates(NOW, 5)
    foretold.note(Observation(at=NOW, shown=12, new=3, since_s=HOUR_S))
    assert foretold.to_plain() == plain.to_plain()
    assert foretold.to_plain()["shown"] == 12


def test_no_forecast_is_written_down_for_more_than_four_weeks() -> None:
    plain = policy_kind("fixed").started(Goals(max_delay_s=50 * DAY_S, ceiling_s=60 * DAY_S), 30, 2 / HOUR_S, FLAT)
    foretold = Foretold(plain, NOW)
    foretold.plan(NOW)
    assert len(foretold.forecast) == 672
