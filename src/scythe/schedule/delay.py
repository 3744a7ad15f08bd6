"""When to come again for other reasons than a full page: a forecast comes in, a wait goes out."""

from __future__ import annotations

import numpy as np

from scythe.schedule.span import Forecast, Numbers
from scythe.watched import HOUR_S

AIM = 0.7  # of the share that may be late; at 0.8 three of 13 lists exceed it
EARLIER = 1.05  # requests that are paid for an earlier visit: 4 % more, a fifth less delay
SPREAD = 0.1  # of a forecast, besides what counting alone makes; how many pages are needed hardly depends on it


def quiet_rate(week: Numbers, late_share: float) -> float:
    """Return the rate below which hours may be slept through: together they have so large a share of the records."""
    ordered = np.sort(week)
    sums = np.cumsum(ordered)
    place = int(np.searchsorted(sums, late_share * sums[-1]))
    return float(ordered[min(place, len(ordered) - 1)])


def sleep_through(forecast: Forecast, delay_s: float, quiet: float) -> float:
    """Return the wait that sees all but the records of quiet hours within `delay_s`.

    A visit at delay_s + s is late for what comes in the first s seconds. It saves s / delay_s visits, which are worth
    their price where fewer records come than `quiet` a second.
    """
    starts = forecast.span.leads_h * HOUR_S
    late = np.concatenate([[0.0], np.cumsum(forecast.rates * forecast.span.seconds)[:-1]])
    return delay_s + float(starts[int(np.argmax(quiet * starts - late))])


def late_records(forecast: Forecast, records: float, delay_s: float, length_s: float) -> float:
    """Estimate how many of the records of a stretch were seen later than `delay_s`."""
    expected = forecast.expected()
    return records * forecast.until(length_s - delay_s) / expected if expected > 0 else 0.0


def fewest_requests(forecast: Forecast, shown: int) -> float:
    """Return the wait with the fewest requests per record, where older pages are followed back.

    A visit that finds A new records takes floor(A / P) + 1 requests: best is just before another page is needed.
    """
    ends = forecast.span.leads_h * HOUR_S + forecast.span.seconds
    expected = np.maximum(np.cumsum(forecast.rates * forecast.span.seconds), 1e-9)
    pages = np.arange(1, int(2 * expected[-1] / shown) + 2)[:64]
    places = (pages[None, :] * shown - expected[:, None]) / np.sqrt(expected + (SPREAD * expected) ** 2)[:, None]
    price = (1.0 + (1.0 / (1.0 + np.exp(1.7 * np.clip(places, -20, 20)))).sum(1)) / expected
    return float(ends[int(np.argmax(price <= EARLIER * price.min()))])
