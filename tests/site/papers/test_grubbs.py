from __future__ import annotations

import math

import pytest

from scythe.site.papers.position_hints import critical_value

# Grubbs 1969, Table I: 5 % significance, one-sided
PUBLISHED = {3: 1.153, 4: 1.463, 5: 1.672, 6: 1.822, 7: 1.938, 8: 2.032, 9: 2.110, 10: 2.176, 15: 2.409, 20: 2.557}
PUBLISHED |= {25: 2.663, 30: 2.745, 40: 2.866, 50: 2.956, 60: 3.025, 80: 3.130, 100: 3.207}


@pytest.mark.parametrize(("size", "value"), PUBLISHED.items())
def test_critical_values_are_those_published(size: int, value: float) -> None:
    # the formula bounds the exact value from above: 3.210 where the table has 3.207
    assert critical_value(size) == pytest.approx(value, abs=0.004)


def test_a_stricter_test_lets_more_pass() -> None:
    assert critical_value(10, 0.01) == pytest.approx(2.410, abs=0.001)
    assert critical_value(10, 0.01) > critical_value(10)


def test_two_values_have_no_outlier() -> None:
    assert critical_value(2) == math.inf
