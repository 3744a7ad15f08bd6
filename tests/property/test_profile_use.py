"""Any profile that loads can be used: odd rules give fewer fields or other ones, never an exception."""

import copy
import json
import random
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from tests.demo_sites import demo_site
from tests.faults.profiles import WHOLE

from scythe.errors import BadInput
from scythe.site.profile import load_profile
from scythe.site.rules import Profile
from scythe.site.site import Site

NEWS = [page for page in demo_site() if page.kind == "news"]
ODD = [0, 1, -1, 3, 2**64 - 1, 0.5, "", "meta", "address", "h1", "\x00", "\u00e9", True, False, [], {}, None]


def places_in(value: Any) -> list[tuple[str | int, ...]]:
    """Return the place of every value inside a value of JSON."""
    found: list[tuple[str | int, ...]] = []
    waiting: list[tuple[tuple[str | int, ...], Any]] = [((), value)]
    while waiting:
        path, here = waiting.pop()
        inner: Any = here.items() if isinstance(here, dict) else enumerate(here) if isinstance(here, list) else ()
        for key, item in inner:
            found.append((*path, key))
            waiting.append(((*path, key), item))
    return found


def change(content: dict[str, Any], path: tuple[str | int, ...], chance: random.Random) -> None:
    """Replace, shift or remove the value at a place."""
    here: Any = content
    for key in path[:-1]:
        here = here[key]
    old = here[path[-1]]
    what = chance.random()
    if what < 0.1:
        del here[path[-1]]
    elif what < 0.4 and type(old) is int:
        here[path[-1]] += chance.choice([-1, 1, -old, 10_000])
    else:
        alike = [odd for odd in ODD if type(odd) is type(old)]
        here[path[-1]] = copy.deepcopy(chance.choice(alike or ODD))


def odd_profiles(text: str, chance: random.Random) -> Iterator[Profile]:
    """Change one value of a profile, again and again, and yield those that still load."""
    content = json.loads(text)
    places = places_in({"layouts": content["layouts"]})
    for _ in range(400):
        odd = copy.deepcopy(content)
        change(odd, chance.choice(places), chance)
        with suppress(BadInput):
            yield load_profile(json.dumps(odd)).profile


def test_odd_rules_never_raise() -> None:
    chance = random.Random(5)
    learned = Site.learn([(page.url, page.html) for page in NEWS[:8]])
    used = 0
    for text in (learned.to_json(), WHOLE.decode()):
        for profile in odd_profiles(text, chance):
            used += 1
            page = chance.choice(NEWS)
            document = Site(profile).extract(page.html, url=page.url, via="cut")
            assert all(field.how for field in document.fields.values())
            assert document.lists is not None
    assert used > 200
