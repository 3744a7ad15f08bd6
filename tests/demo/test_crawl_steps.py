from scythe.demo.crawl_steps import ENOUGH, WINDOW, Step, judge_redesign
from scythe.demo.wording import describe_redesign


def steps(*shares: float, design: int = 0) -> list[Step]:
    return [Step(f"/{design}/{at}", "mixed", design, share) for at, share in enumerate(shares)]


BEFORE = [Step("/cold", "cold", 0, 0.0), *steps(*[0.9] * 20)]


def test_a_redesign_is_noticed_on_the_first_page_that_does_not_fit_and_healed_when_ten_are_cut_again() -> None:
    after = steps(0.9, 0.9, *[0.1] * 6, *[0.9] * 40, design=1)
    found = judge_redesign([*BEFORE, *after], ["learned it again"], {"/1/3": 0.9, "/1/4": 1.0, "/1/30": 0.0})
    assert found is not None
    assert (found.after, found.pages, found.noticed) == (21, 48, 3)
    assert found.healed == 8 - 1  # one bad page among ten leaves more than nine tenths of nine tenths
    assert round(found.before, 6) == 0.9
    assert found.f1 == 0.95
    assert found.is_over
    assert found.later > 0.85
    first, second, third = describe_redesign(found)
    assert "After 21 pages" in first
    assert "Noticed on page 3, healed after 7 pages" in second
    assert third == "  learned it again"


def test_pages_that_stay_uncut_are_not_healed() -> None:
    found = judge_redesign([*BEFORE, *steps(*[0.3] * ENOUGH, design=1)])
    assert found is not None
    assert (found.noticed, found.healed, found.is_over) == (1, None, False)
    assert "not healed: 30 %" in " ".join(describe_redesign(found))


def test_few_pages_cannot_tell() -> None:
    found = judge_redesign([*BEFORE, *steps(*[0.3] * (ENOUGH - 1), design=1)])
    assert found is not None
    assert found.is_over
    assert "too few to tell" in " ".join(describe_redesign(found))
    assert judge_redesign(steps(*[0.9] * WINDOW)) is None
    assert judge_redesign(steps(*[0.9] * WINDOW, design=1)) is None


def test_a_redesign_that_breaks_no_rule_is_none_to_heal() -> None:
    found = judge_redesign([*BEFORE, *steps(*[0.8] * ENOUGH, design=1)])
    assert found is not None
    assert (found.noticed, found.healed, found.is_over) == (None, None, True)
    assert "fitted all the same" in " ".join(describe_redesign(found))
