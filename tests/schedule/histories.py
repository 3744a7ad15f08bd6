"""Visits that never were: what an estimator is told in them is always the same."""

from random import Random

from scythe.watch_model import DAY_S, HOUR_S, Observation

START = 1_649_635_200.0  # 2022-04-11 0:00 UTC, a Monday
OFFICE = [2.1 if 8 <= hour % 24 < 18 else 0.3 if hour // 24 in (2, 3) else 0.6 for hour in range(168)]


def ordinary(shown: int = 30, visits: int = 20) -> list[Observation]:
    """Waits of 1 to 14 hours; some visits find nothing, some a full page, some records say when they came."""
    random, at, told = Random(5), START, []
    for number in range(visits):
        since_s = random.choice([1, 2.5, 5, 8, 13.75]) * HOUR_S
        at += since_s
        came = round(since_s / HOUR_S * random.choice([0.0, 1.5, 2.0, 2.5, 4.0]))
        new = min(came, shown)
        dates = tuple(sorted(at - random.random() * since_s for _ in range(new))) if number % 4 == 3 else ()
        told.append(Observation(at, shown, new, new >= shown, since_s, dates))
    for new, known in ((5, 4), (1, 1), (5, 3)):  # dates of some of them
        at += 7 * HOUR_S
        told.append(
            Observation(at, shown, new, since_s=7 * HOUR_S, published=tuple(at - 1_000.5 * n for n in range(known)))
        )
    return told


def dated(shown: int = 30, per_day: float = 60.0, odd: tuple[float, ...] = ()) -> list[Observation]:
    """A first page whose records say when they came, by day only, then a few days of visits; `odd` dates are added."""
    random, ages, age_s = Random(6), [], 0.0
    while len(ages) < shown:
        age_s += random.expovariate(per_day / DAY_S)
        if 6 * HOUR_S < (START - age_s) % DAY_S < 22 * HOUR_S:
            ages.append(age_s)
    first = Observation(START, shown, shown, published=(*odd, *(START - age for age in ages)))
    return [first, *(Observation(START + day * DAY_S / 2, shown, 9 + day, since_s=DAY_S / 2) for day in range(1, 8))]


def undated(shown: int = 25) -> list[Observation]:
    """A first page without dates, then ever longer waits, as a cold start has them."""
    told, at, wait_s = [Observation(START, shown, shown)], START, HOUR_S
    for new in (0, 3, 1, 9, 25, 20, 0, 0, 0, 14, 7):
        at += wait_s
        told.append(Observation(at, shown, new, new >= shown, wait_s))
        wait_s *= 1.5
    return told


def turning(shown: int = 20, short: int = 1, short_s: float = 600.0, full: int = 13) -> list[Observation]:
    """A list that shows others at every visit, and is a list again later; every other wait is short."""
    told, at = [], START
    for number in range(22):
        since_s = short_s if number % 2 == short else 5 * HOUR_S
        at += since_s
        new = shown if 3 <= number < 3 + full else number % 5
        told.append(Observation(at, shown, new, new >= shown, since_s))
    return told


def disturbed() -> list[Observation]:
    """Outages, a clock that jumps, an empty page, a list that becomes shorter and a page nobody waited for."""
    rows = [
        (HOUR_S * 6, 40, 11),
        (HOUR_S * 6, 0, 0),
        (None, 40, 5),
        (-DAY_S, 40, 3),
        (0.0, 40, 2),
        (HOUR_S * 9, 22, 20),
        (DAY_S * 20, 22, 22),
        (HOUR_S * 30, 22, 22),
        (HOUR_S * 3, 24, 4),
        (0.5, 24, 1),
        (DAY_S * 8, 24, 24),
        (DAY_S * 6, 24, 1),
        (HOUR_S * 12, 24, 12),
    ]
    told, at = [], START
    for since_s, shown, new in rows:
        at += max(since_s or 0.0, 0.0)
        told.append(Observation(at, shown, new, 0 < shown <= new, since_s))
    return told
