"""Every public way in takes at most 2.3 times as long for twice the input: a sample of `python -m tests.doubling`."""

import pytest
from tests.doubling.__main__ import FEW, HANDFUL, chosen
from tests.doubling.entries import ENTRIES, EXEMPT
from tests.doubling.inputs import KINDS, page_of
from tests.doubling.measure import MEMORY_PER_BYTE, RATIO, Case, Point, growth, measure, seconds, sizes

import scythe

SMALL, LARGE = 64_000, 256_000
NOISE = 1.3  # of times on a machine at work; what is quadratic takes sixteen times as long for four times the input
WORST = ("nested div", "attributes on one tag", "fonts of distinct size in paragraphs", "quote openings")
DENSE = ("cells", "one-letter paragraphs", "line breaks", "links", "list: random tags", "a list of goods")
DENSE += ("list: many small lists", "list: items of one word")
SAMPLE = [("read", name) for name in WORST] + [("site cut", name) for name in WORST] + [("site auto", "nested div")]
SAMPLE += [("robots", "rules of stars"), ("sitemap", "addresses without end"), ("site file", "layouts")]
SAMPLE += [
    ("opening tag", "unclosed span"),
    ("addresses", "steps back"),
    ("labels", "one open quote"),
    ("content coding", "many members"),
]


def test_every_public_name_is_measured_or_excused() -> None:
    measured = {name for entry in ENTRIES.values() for name in entry.names}
    assert measured | set(EXEMPT) == set(scythe.__all__)
    assert not measured & set(EXEMPT)
    assert all(EXEMPT.values())


def test_every_way_in_has_inputs() -> None:
    pages = set(KINDS["page"])
    assert set(FEW) | set(HANDFUL) <= pages
    assert len(pages) > 250
    assert all(chosen(name, (), everything=False) for name in ENTRIES)


@pytest.mark.parametrize("name", WORST)
def test_inputs_have_about_the_size_asked_for(name: str) -> None:
    assert 0.8 * LARGE < len(page_of(name, LARGE)) < 1.2 * LARGE


def test_sizes_double() -> None:
    assert sizes(64_000, 500_000) == [62_500, 125_000, 250_000, 500_000]
    assert sizes(64_000, 64_000) == [64_000]


@pytest.mark.parametrize("power", [1, 2])
def test_growth_is_told(power: int) -> None:
    case = Case("x", "y", tuple(Point(n, 0.1 * n**power, n) for n in (1, 2, 4, 8)))
    assert case.slope == pytest.approx(2**power)
    assert case.worst == pytest.approx(2**power)
    assert bool([said for said in case.faults if "twice" in said]) == (power == 2)


@pytest.mark.parametrize(("entry", "made_by"), SAMPLE)
def test_time_grows_no_faster_than_its_input(entry: str, made_by: str) -> None:
    make, prepare = KINDS[ENTRIES[entry].kind][made_by], ENTRIES[entry].prepare
    small, large = (prepare(make(size)) for size in (SMALL, LARGE))
    best_small = best_large = bound = float("inf")
    for _ in range(3):
        best_small, best_large = min(best_small, seconds(small, tries=2)), min(best_large, seconds(large, tries=1))
        bound = NOISE * RATIO**2 * best_small + 0.01
        if best_large <= bound:
            break
    assert best_large <= bound, f"{best_small:.3f} s for {SMALL} bytes, {best_large:.3f} s for {LARGE}"


@pytest.mark.parametrize(
    "made_by", [name if name in DENSE else pytest.param(name, marks=pytest.mark.soak) for name in KINDS["page"]]
)
def test_all_parts_together_take_a_few_times_the_memory_of_the_page(made_by: str) -> None:
    case = measure("read", made_by, 1_000_000, least=1_000_000)
    assert not case.ended
    assert case.memory_per_byte <= MEMORY_PER_BYTE


def test_what_is_quadratic_is_found_and_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tool itself: a way in that looks at every pair of bytes is reported, and does not run for ever."""
    slow = ENTRIES["page"].__class__((), "page", lambda body: lambda: [None for _ in range(len(body) ** 2 // 100)])
    monkeypatch.setitem(ENTRIES, "slow", slow)
    case = measure("slow", "an article", 64_000, least=8_000, case_s=0.5)
    assert case.slope > 3
    assert case.faults
    assert growth(case.points[-2], case.points[-1]) > 3


@pytest.mark.soak
@pytest.mark.parametrize("entry", ENTRIES)
def test_all_of_it_grows_no_faster_than_its_input(entry: str) -> None:
    cases = [measure(entry, made_by, 1_000_000) for made_by in chosen(entry, (), everything=False)]
    assert [(case.made_by, case.slope) for case in cases if case.slope > RATIO] == []
