"""The world of a trial: what a list shows, what is lost, what following it back costs."""

import pytest

from scythe.errors import BadInput
from scythe.schedule.policies import POLICIES, Estimator, Fixed, make_policy, policy_kind
from scythe.schedule.simulate import Make, Rhythm, Start, make_arrivals, simulate, start_of
from scythe.watch_model import DAY_S, HOUR_S, Goals, Observation

HOURLY = [1_000_000.0 * 3_600 + 3_600 * hour + 1_800 for hour in range(24 * 60)]  # one an hour, at half past


def every(seconds: float) -> Make:
    return lambda _: Fixed(Goals(), every_s=seconds)


def known(name: str, goals: Goals | None = None) -> Make:
    def make(start: Start | None) -> Estimator:
        if start is None:
            return make_policy(name, goals or Goals())
        return policy_kind(name).started(goals or Goals(), start.shown, start.rate_per_s, start.profile)

    return make


def test_a_visit_sees_what_fits_the_page_and_loses_the_rest() -> None:
    trial = simulate(HOURLY, 10, every(12 * HOUR_S))
    assert {(visit.new, visit.missed, visit.shown) for visit in trial.visits} == {(10, 2, 10)}
    assert trial.missed_share == pytest.approx(2 / 12)
    assert trial.duplicates == 0
    assert trial.fetches_per_day == pytest.approx(2, rel=0.05)
    assert trial.mean_delay_s == pytest.approx(4.5 * HOUR_S)
    assert trial.delay_s(0.95) == 9 * HOUR_S
    assert trial.missed == len(trial.missed_at) == 2 * len(trial.visits)


def test_what_is_seen_again_is_counted() -> None:
    trial = simulate(HOURLY, 10, every(4 * HOUR_S))
    assert trial.duplicates_per_fetch == 6
    assert trial.duplicates_per_new == pytest.approx(1.5)
    assert trial.missed == 0
    assert trial.floor_per_day == pytest.approx(2.4, rel=0.01)


def test_following_back_loses_nothing_and_costs_requests() -> None:
    trial = simulate(HOURLY, 10, every(25 * HOUR_S), recovers=True)
    assert {(visit.new, visit.missed, visit.requests, visit.shown) for visit in trial.visits} == {(25, 0, 3, 30)}
    assert trial.requests == 3 * len(trial.visits)
    exact = simulate(HOURLY, 10, every(10 * HOUR_S), recovers=True)
    assert {visit.requests for visit in exact.visits} == {2}  # a full page does not prove that nothing is behind it


def test_a_visit_due_in_an_outage_is_made_at_its_end() -> None:
    begin = HOURLY[0] + 28 * DAY_S
    trial = simulate(HOURLY, 10, every(2 * HOUR_S), outages=[(begin + HOUR_S, begin + DAY_S)])
    assert trial.visits[0].at == begin + DAY_S
    assert trial.visits[0].missed == 14
    assert trial.missed == 14


def test_an_estimator_is_told_as_much_as_its_beginning_allows() -> None:
    told: list[Observation] = []
    starts: list[Start | None] = []

    class Listening(Fixed):
        def note(self, seen: Observation) -> None:
            told.append(seen)
            super().note(seen)

    def make(start: Start | None) -> Estimator:
        starts.append(start)
        return Listening(Goals())

    simulate(HOURLY, 10, make)
    assert starts[0] is not None
    assert told[0].since_s == HOUR_S
    told.clear()
    simulate(HOURLY, 10, make, begin="cold")
    assert starts[1] is None
    assert (told[0].since_s, told[0].shown, told[0].new, told[0].published) == (None, 10, 10, ())
    told.clear()
    simulate(HOURLY, 10, make, begin="dated")
    assert len(told[0].published) == 10
    assert told[1].published == (told[1].at - 1_800,) or told[1].published == (told[1].at,)


def test_the_time_before_gives_rate_and_profile() -> None:
    start = start_of(HOURLY, 10)
    assert start.rate_per_s == pytest.approx(1 / HOUR_S, rel=0.01)
    assert sum(start.profile) == pytest.approx(168)
    assert max(start.profile) < 1.3


@pytest.mark.parametrize(
    ("arrivals", "shown", "begin", "said"),
    [
        ([], 10, "warm", "too short"),
        (HOURLY[:24], 10, "warm", "too short"),
        (HOURLY, 0, "warm", "1 record at least"),
        (HOURLY, 10, "lukewarm", "warm, cold, dated"),
    ],
)
def test_what_is_no_trial_is_refused(arrivals: list[float], shown: int, begin: str, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        simulate(arrivals, shown, every(HOUR_S), begin=begin)


def test_an_estimator_that_does_not_wait_is_refused() -> None:
    class Hasty(Fixed):
        def _bound(self, wanted: float, why: str) -> tuple[float, str]:
            return float("nan"), why

    with pytest.raises(BadInput, match="waits nan s"):
        simulate(HOURLY, 10, lambda _: Hasty(Goals()))


@pytest.fixture(scope="module")
def news() -> tuple[float, ...]:
    return make_arrivals(7, Rhythm(per_day=60, days=150))


def test_ses_sees_fewer_duplicates_than_average_and_loses_more(news: tuple[float, ...]) -> None:
    ses, average = simulate(news, 30, known("ses")), simulate(news, 30, known("average"))
    assert ses.duplicates_per_fetch < average.duplicates_per_fetch
    assert ses.missed_share > average.missed_share > 0.05


def test_knowing_the_hours_loses_less_for_as_many_fetches(news: tuple[float, ...]) -> None:
    seasonal, poisson = simulate(news, 30, known("seasonal")), simulate(news, 30, known("poisson"))
    assert seasonal.missed_share < 0.5 * poisson.missed_share
    assert seasonal.fetches_per_day < 1.3 * poisson.fetches_per_day


@pytest.mark.parametrize("begin", ["cold", "dated"])
def test_a_cold_start_finds_its_rate(news: tuple[float, ...], begin: str) -> None:
    cold, warm = simulate(news, 30, known("poisson"), begin=begin), simulate(news, 30, known("poisson"))
    assert cold.fetches_per_day == pytest.approx(warm.fetches_per_day, rel=0.1)
    assert cold.missed_share < warm.missed_share + 0.02


def test_a_maximum_delay_is_kept_by_every_visit(news: tuple[float, ...]) -> None:
    trial = simulate(news, 30, known("seasonal", Goals(max_delay_s=3 * HOUR_S)))
    assert trial.delays_s[-1] <= 3 * HOUR_S
    assert max(visit.wait_s for visit in trial.visits) <= 3 * HOUR_S


YEAR = [HOURLY[0] + 3_600.0 * hour for hour in range(24 * 365)]
SELDOM = [YEAR[0], YEAR[-1]]  # never changes
ALWAYS = [YEAR[0] + 30.0 * number for number in range(2 * 60 * 24 * 60)]  # 30 of 30 are new at every visit
FLAPPING = [at for at in YEAR if at // (3 * DAY_S) % 2]  # three days on, three days off


@pytest.mark.parametrize("name", sorted(POLICIES))
@pytest.mark.parametrize("arrivals", [SELDOM, ALWAYS, FLAPPING], ids=["never changes", "always changes", "flaps"])
def test_odd_lists_are_visited_neither_without_pause_nor_never(name: str, arrivals: list[float]) -> None:
    goals = Goals(floor_s=HOUR_S, ceiling_s=4 * DAY_S)
    trial = simulate(arrivals, 30, known(name, goals), begin="cold")
    waits = [visit.wait_s for visit in trial.visits]
    assert min(waits) >= HOUR_S * 0.999
    assert max(waits) <= 4 * DAY_S * 1.001


@pytest.mark.parametrize("name", sorted(POLICIES))
def test_a_month_without_the_server_is_forgotten(name: str, news: tuple[float, ...]) -> None:
    down = (news[0] + 60 * DAY_S, news[0] + 90 * DAY_S)
    trial = simulate(news, 30, known(name), outages=[down])
    before = sum(down[0] - 30 * DAY_S <= visit.at < down[0] for visit in trial.visits)
    after = sum(down[1] + 3 * DAY_S <= visit.at < down[1] + 33 * DAY_S for visit in trial.visits)
    assert 0.7 * before <= after <= 1.4 * before


def test_arrivals_that_are_made_up_have_the_rhythm_asked_for() -> None:
    rhythm = Rhythm(per_day=100, days=70, bursts=0.0, silences=((10, 3),))
    arrivals = make_arrivals(3, rhythm)
    assert arrivals == make_arrivals(3, rhythm) != make_arrivals(4, rhythm)
    assert len(arrivals) / 67 == pytest.approx(100, rel=0.05)
    assert not [at for at in arrivals if 10 <= (at - rhythm.start) / DAY_S < 13]
    nights = sum(at % DAY_S < 6 * HOUR_S for at in arrivals)
    assert nights < 0.15 * len(arrivals)
    assert list(arrivals) == sorted(arrivals)


def test_a_trial_can_go_on_after_the_last_record_came() -> None:
    arrivals = [0.0, 3_600.0]
    trial = simulate(arrivals, 10, lambda start: Fixed(Goals()), warm_s=1.0, begin="cold", end=86_401.0)
    assert (len(trial.visits), trial.new, trial.days) == (24, 1, 1.0)
