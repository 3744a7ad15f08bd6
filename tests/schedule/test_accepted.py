"""Plans are those that were accepted: a change of any number in them shows, and is taken with `pytest --accept`."""

import json
import math
from pathlib import Path
from typing import Any

import pytest
from tests.schedule.histories import OFFICE, START, dated, disturbed, ordinary, turning, undated

from scythe.schedule.policies import POLICIES, Estimator, policy_kind
from scythe.watch_model import DAY_S, HOUR_S, Goals, Observation

FILE = Path(__file__).with_name("accepted.json")
HISTORIES = {
    "ordinary": ordinary(),
    "dated": dated(),
    "seldom": dated(12, 3.0),
    "rare": dated(12, 0.3),
    "odd": dated(14, 30.0, (START + DAY_S, math.inf, -math.inf, math.nan, START, START - 200 * DAY_S)),
    "undated": undated(),
    "turning": turning(),
    "turning later": turning(12, 0, 1_200.0),
    "turning once": turning(12, full=8),
    "disturbed": disturbed(),
}
WARM = ("ordinary", "turning", "turning later", "turning once", "disturbed")  # what begins with a list that is known
USUAL = ("default", "most")
GOALS = {
    "default": Goals(),
    "strict": Goals(miss=0.001, floor_s=HOUR_S, ceiling_s=2 * DAY_S),
    "soon": Goals(delay_s=2 * HOUR_S),
    "most": Goals(delay_s=5 * HOUR_S, delay_share=0.6, max_delay_s=9 * HOUR_S),
    "back": Goals(recovers=True),
    "patient": Goals(recovers=True, max_delay_s=3 * DAY_S),
}
CASES = [("auto", goals, history) for goals in GOALS for history in HISTORIES if goals in USUAL or history in WARM]
CASES += [("auto", "patient", "rare")]
CASES += [(name, "default", history) for name in sorted(POLICIES) if name != "auto" for history in HISTORIES]
CASES += [(name, goals, "ordinary") for name in ("seasonal", "poisson", "average") for goals in ("most", "strict")]


def begin(policy: str, goals: Goals, history: str) -> Estimator:
    kind = policy_kind(policy)
    return kind.started(goals, 30, 40 / DAY_S, OFFICE) if history in WARM else kind(goals)


def tell(estimator: Estimator, visits: list[Observation]) -> list[Any]:
    """Return the plan after each visit, asked for at once or later; at the end the hours expected, and what is kept."""
    said: list[Any] = []
    for number, seen in enumerate(visits):
        estimator.note(seen)
        plan = estimator.plan(seen.at + (number % 3 == 2) * 4_000.0)
        said.append([plan.wait_s, plan.expected, plan.risk, plan.rate, plan.why])
    at = visits[-1].at
    kept = estimator.to_plain()
    numbers = [kept[name] for name in sorted(kept) if not isinstance(kept[name], str | dict) and name != "profile"]
    return [*said, estimator.rates(at + 1_234.5, 30), estimator.plan(at + 9 * DAY_S).wait_s, *numbers]


def rounded(said: list[Any]) -> list[Any]:
    return json.loads(json.dumps(said), parse_float=lambda text: float(f"{float(text):.7g}"))  # type: ignore[no-any-return]


def flat(said: list[Any]) -> tuple[list[float], list[str]]:
    """Return the numbers and the words of what was said."""
    leaves = [leaf for row in said for leaf in (row if isinstance(row, list) else [row])]
    return [leaf for leaf in leaves if not isinstance(leaf, str)], [leaf for leaf in leaves if isinstance(leaf, str)]


@pytest.fixture(scope="module")
def accepted(request: pytest.FixtureRequest) -> dict[str, list[Any]]:
    if request.config.getoption("--accept"):
        said = {" ".join(case): rounded(say(*case)) for case in CASES}
        rows = (f"{json.dumps(name)}: {json.dumps(rows)}" for name, rows in said.items())
        FILE.write_text("{\n" + ",\n".join(rows) + "\n}\n", encoding="utf-8")
    return json.loads(FILE.read_text(encoding="utf-8"))  # type: ignore[no-any-return]


def say(policy: str, goals: str, history: str) -> list[Any]:
    return tell(begin(policy, GOALS[goals], history), HISTORIES[history])


@pytest.mark.parametrize("case", CASES, ids=" ".join)
def test_the_plans_are_the_accepted_ones(case: tuple[str, str, str], accepted: dict[str, list[Any]]) -> None:
    (numbers, words), (known, known_words) = flat(say(*case)), flat(accepted[" ".join(case)])
    assert words == known_words
    assert numbers == pytest.approx(known, rel=1e-6, abs=1e-9)


def test_every_accepted_plan_is_still_asked_for(accepted: dict[str, list[Any]]) -> None:
    assert {" ".join(case) for case in CASES} == set(accepted)
    assert START % DAY_S == 0


@pytest.mark.parametrize("name", sorted(POLICIES))
@pytest.mark.parametrize("history", sorted(HISTORIES))
def test_a_state_taken_up_amid_a_history_goes_on_as_if_nothing_had_been(name: str, history: str) -> None:
    visits = HISTORIES[history]
    half = len(visits) // 2
    estimator = begin(name, GOALS["default"], history)
    tell(estimator, visits[:half])
    again = policy_kind(name)(GOALS["default"], json.loads(json.dumps(estimator.to_plain())))
    assert again.to_plain() == estimator.to_plain()
    assert again.to_plain()["policy"] == name
    numbers, words = flat(tell(estimator, visits[half:]))
    other_numbers, other_words = flat(tell(again, visits[half:]))
    assert other_words == words
    assert other_numbers == pytest.approx(numbers, rel=0.005, abs=0.0005)  # a state is rounded
