"""A site with stories, authors and sections, shown in many designs: a story is always one record, two are never one."""

from collections.abc import Callable
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from scythe.archive.stored_records import identify_each
from scythe.model import Record, RecordList
from scythe.url import Url

WORDS = "rain mill sheep bridge well choir fog harvest school market river tower garden winter storm".split()
Address = Callable[[int, str], str]
ADDRESSES: list[Address] = [
    lambda n, slug: f"/2024/{1 + n % 12:02}/{slug}-{10_000 + n}.html",
    lambda n, slug: f"/story/{10_000 + n}",
    lambda n, slug: f"/{slug}/",
    lambda n, slug: f"/view.php?id={n}&lang=en",
    lambda n, slug: f"/{WORDS[n % 5]}/{slug}",
]


class Site:
    """Stories with an author and a section each."""

    def __init__(self, seed: int, address: Address, authors: int) -> None:
        self.random = Random(seed)
        self.address = address
        self.authors = authors

    def record(self, number: int, design: frozenset[str], first: bool) -> Record:
        chance = Random(number)
        words = [chance.choice(WORDS) for _ in range(3)]
        slug = f"{'-'.join(words)}-{number}"
        own = f"https://site.example{self.address(number, slug)}"
        beside = {
            "author": f"https://site.example/author/{chance.choice(WORDS)}-{chance.randrange(self.authors)}/",
            "section": f"https://site.example/{WORDS[number % len(WORDS)]}/",
            "tags": f"https://site.example/tag/{chance.choice(WORDS)}/",
            "comments": f"{own}#comments",
            "share": f"https://share.example/?u={own}",
            "picture": f"https://site.example/gallery/{chance.randrange(40)}",
        }
        others = [link for name, link in beside.items() if name in design]
        links = [own, *others] if first else [*others, own]
        text = f"{chance.choice(WORDS)} {self.random.randrange(100)} comments"
        return Record((" ".join(words).capitalize(), text), tuple(Url(link) for link in dict.fromkeys(links)))

    def page(self, start: int, count: int, design: frozenset[str], first: bool) -> RecordList:
        return RecordList(tuple(self.record(n, design, first) for n in range(start, start + count)), ("title", "text"))


NAMES = ["author", "section", "tags", "comments", "share", "picture"]
VISITS = st.tuples(st.integers(0, 60), st.integers(8, 30), st.frozensets(st.sampled_from(NAMES)), st.booleans())


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 99), st.sampled_from(ADDRESSES), st.integers(1, 30), st.lists(VISITS, min_size=2, max_size=6))
def test_no_design_makes_a_story_another_or_two_stories_one(
    seed: int, address: Address, authors: int, visits: list[tuple[int, int, frozenset[str], bool]]
) -> None:
    site = Site(seed, address, authors)
    keys: dict[int, bytes] = {}
    stories: dict[bytes, int] = {}
    for start, count, design, first in visits:
        for one in identify_each([site.page(start, count, design, first)]):
            number = start + one.place
            assert stories.setdefault(one.hash, number) == number
            assert keys.setdefault(number, one.hash) == one.hash
