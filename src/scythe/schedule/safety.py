"""How far a list may fill before it is visited, from the errors of past forecasts.

A forecast of M records that turns out as r * M loses r * M - P of them if positive. The tail of the errors r is fitted
to a normal distribution, with full pages counted as "at least this much"; the largest M that keeps the wanted share of
losses is the allowance.
"""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist

from scythe.schedule.forecast import read_numbers

NORMAL_FROM = 50.0  # a mean from which the normal approximation serves
_HALVINGS = 60


def quantile(mean: float, share: float) -> float:
    """Return the least count that is not exceeded with the chance `share`; large means by approximation."""
    if mean > NORMAL_FROM:
        # the deviate as tables have it: 2.326 for 99 %
        return mean + round(_NORMAL.inv_cdf(share), 3) * math.sqrt(mean) + 0.5
    chance = reached = math.exp(-mean)
    count = 0
    while reached < share and count < 1_000:  # rounding may keep the sum below a share close to 1
        count += 1
        chance *= mean / count
        reached += chance
    return count


@lru_cache(maxsize=4_096)
def largest_mean(count: int, share: float) -> float:
    """Return the largest mean at which no more than `count` come with the chance `share`."""
    low, high = 0.0, float(max(count, 1))
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if quantile(middle, share) <= count:
            low = middle
        else:
            high = middle
    return low


def share_over(mean: float, count: float) -> float:
    """Return the share of all records that come as more than `count` at once, where `mean` are expected."""
    if mean < count / 4:
        return 0.0  # below 1e-6 from a page of ten on, and asked for at every visit
    if mean > NORMAL_FROM:
        spread = math.sqrt(mean)
        z = (count - mean) / spread
        over = spread * (_NORMAL.pdf(z) - z * (1 - _NORMAL.cdf(z)))
    else:
        chance = math.exp(-mean)
        under = 0.0  # how many places of the page stay empty, in the mean
        for came in range(math.ceil(count)):
            under += (count - came) * chance
            chance *= mean / (came + 1)
        over = mean - count + under
    return min(1.0, max(0.0, over / mean))


_NORMAL = NormalDist()


KEPT = 200  # errors: half a year of a list visited daily, a month of a busy one
PRIOR = 20  # errors assumed at the start, pushed out by the first two hundred seen
PRIOR_SPREAD = 0.15  # besides what counting alone makes
COLD_SPREAD = 0.4  # the same where nothing is known of nights and weekends
TOP = 0.2  # share of the errors the tail is fitted to; 0.1 is noisier, 0.3 loses more for fewer visits: a draw
LEAST_TAIL = 0.001
FAR = 5.0  # widths of the tail from which its end is a simple fraction: erfc would vanish
WIDEST = 50.0  # times the forecast: what no list needs
AIM = 0.7  # of the share that may be lost; at 0.8 the worst of 13 lists loses .93 %, at 0.9 1.17 %
BUDGET_HALF_LIFE_S = 180 * 86_400.0
BUDGET_PAGES = 15.0  # pages of records, lost as aimed at, that the account begins with
TIGHTEST, LOOSEST = 0.25, 2.5  # what the account may make of the aim
OVERDRAWN = 0.3  # power by which an overdrawn account shrinks the allowance: tails heavier than the fit
HIDDEN_LEAST = 0.05  # of a page, behind a full one
ESCALATION = 3.0  # times as many are assumed behind each further full page in a row: the level has jumped
ESCALATION_MOST = 3
AGAIN, AGAIN_MOST = 1.5, 12  # and each makes the next visit come so much sooner


class Errors:
    """Counts over forecasts of the last visits."""

    def __init__(self, ratios: list[float]) -> None:
        self.ratios = ratios  # below 0: the page was full, so it was at least so much
        self.fit()

    @classmethod
    def assumed(cls, shown: int, spread: float) -> Errors:
        """Return what is assumed of a list that shows so many records."""
        sd = math.sqrt(spread * spread + 1.4 / max(shown, 1))
        places = [(7 * i % PRIOR + 0.5) / PRIOR for i in range(PRIOR)]  # in no order: they leave one by one
        return cls([math.exp(sd * NormalDist().inv_cdf(place) - sd * sd / 2) for place in places])

    @classmethod
    def from_plain(cls, plain: object) -> Errors:
        """Take them up; raise ValueError where they are none."""
        return cls(read_numbers(plain, None, is_signed=True)[-KEPT:])

    def to_plain(self) -> list[float]:
        """Return them as plain values."""
        return [round(ratio, 4) for ratio in self.ratios]

    def add(self, ratio: float, is_full: bool) -> None:
        """Add one error, forget the oldest."""
        self.ratios.append(-ratio if is_full else ratio)
        del self.ratios[:-KEPT]
        self.fit()

    def forget_full(self) -> None:
        """Take back the full pages at the end."""
        while len(self.ratios) > 1 and self.ratios[-1] < 0:
            self.ratios.pop()
        self.fit()

    def fit(self) -> None:
        """Fit the tail: squares of the excess over 1 fall exponentially beyond `start`."""
        ordered = sorted(self.ratios, key=abs, reverse=True)
        count = min(max(4, round(TOP * len(ordered))), max(len(ordered) - 1, 0))
        top = [max(abs(ratio) - 1.0, 0.0) ** 2 for ratio in ordered[: count + 1]]
        whole = sum(ratio >= 0 for ratio in ordered[:count])
        self.start = top[-1] if top else 0.0
        self.scale = max((sum(top) - self.start * len(top)) / max(whole, 1), LEAST_TAIL)
        self.share = count / len(ordered) if ordered else 1.0

    def lost(self, ratio: float) -> float:
        """Return the share of the records that are lost where a page is so many times the forecast."""
        excess = max(ratio - 1.0, 0.0)
        reach = self.share * math.exp(min(0.0, (self.start - excess * excess) / self.scale))
        return min(1.0, reach * self.beyond(ratio))

    def beyond(self, ratio: float) -> float:
        """Return how much further an error goes that went so far, in the mean."""
        width = math.sqrt(self.scale)
        z = max(ratio - 1.0, 0.0) / width
        if z > FAR:
            return width / (2.0 * z)
        return width * math.sqrt(math.pi) / 2.0 * math.exp(z * z) * math.erfc(z)

    def widest(self, share: float) -> float:
        """Return the least page, in forecasts, that loses no more than a share."""
        ratio = least = 1.0 + math.sqrt(self.start)
        for _ in range(6):  # Newton's, on the logarithm of `lost`, which bends one way
            step = self.beyond(ratio) * math.log(max(self.lost(ratio), 1e-300) / share)
            ratio = min(max(ratio + step, least), WIDEST)
        return ratio


class Budget:
    """The account of what was seen and what was lost, by estimate."""

    def __init__(self, seen: float = 0.0, lost: float = 0.0) -> None:
        self.seen, self.lost = seen, lost

    def open(self, shown: int, miss: float) -> None:
        """Begin the account of a list that shows so many records."""
        self.seen = BUDGET_PAGES * max(shown, 1)
        self.lost = self.seen * miss * AIM

    def add(self, seen: float, lost: float, length_s: float) -> None:
        """Enter one visit."""
        fade = 0.5 ** (length_s / BUDGET_HALF_LIFE_S)
        self.seen, self.lost = self.seen * fade + seen, self.lost * fade + lost

    def credit(self, miss: float) -> float:
        """Return what may be lost over what was: above 1 there is some left."""
        return miss * AIM * self.seen / max(self.lost, 1e-9)


def allowance(errors: Errors, budget: Budget, shown: int, miss: float, full_in_row: int) -> float:
    """Return the forecast at which a list is to be visited, in records."""
    credit = budget.credit(miss)
    share = miss * AIM * min(max(credit, TIGHTEST), LOOSEST)
    allowed = min(shown / errors.widest(share), _by_counting(shown, round(math.log(share), 1)))
    if credit < 1.0:
        allowed *= max(credit, 0.1) ** OVERDRAWN
    return allowed / AGAIN ** min(max(full_in_row - 1, 0), AGAIN_MOST)


def hidden(errors: Errors, shown: int, new: float, expected: float, full_in_row: int) -> float:
    """Estimate how many records a full page did not show."""
    behind = max(expected * errors.beyond(new / max(expected, 1e-6)), HIDDEN_LEAST * shown)
    return behind * ESCALATION ** min(max(full_in_row - 1, 0), ESCALATION_MOST)


@lru_cache(maxsize=4_096)
def _by_counting(shown: int, log_share: float) -> float:
    """Return the mean at which chance alone loses a share: no forecast is better than a perfect one."""
    share, low, high = math.exp(log_share), 0.0, 1.5 * shown
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if share_over(middle, shown) <= share else (low, middle)
    return low
