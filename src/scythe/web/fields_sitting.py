"""What somebody has shown of the fields of a site until now: picks come in, examples and what was before go out."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field

from scythe.errors import BadInput
from scythe.rules import Profile
from scythe.web.fields_trial import Trial
from scythe.web.operation import NotNow, NotThere
from scythe.web.room import Room

NAME_CHARS = 60  # of a field; it is the head of a column
FIELDS = 50  # of one sitting
VALUES = 200  # of one field and page
_UNDONE = 200  # steps that can be taken back
# what is asked for elsewhere, and has no single value
_ELSEWHERE = {"images": "Annotate", "records": "Records"}
USUAL_NAMES = "title price author date name description category rating image link address phone maker size".split()


@dataclass(frozen=True, slots=True)
class Pick:
    """One value that somebody says a page has."""

    value: str
    element: int | None = None  # its number on the page; None: typed, or from the head
    attribute: str = ""  # empty: it is, or is in, the element's text
    by: str = "picked"  # picked, typed, accepted


Picks = Mapping[str, tuple[Pick, ...]]  # by field; (): the page has none
Shown = Mapping[int, Picks]  # by page


@dataclass
class Sitting:
    """One site's fields, as they are being picked. Whoever changes it holds the lock of the room."""

    site: str
    shown: Shown = field(default_factory=dict)
    past: list[Shown] = field(default_factory=list)
    trial: Trial | None = None  # what was learned last
    tried: Shown | None = None  # ... and of what
    earlier: Trial | None = None  # what was learned before the last change
    base: tuple[tuple[int, ...], Profile] | None = None  # layouts without fields, of the pages with these ids
    saved: str = ""  # where to
    kept: Shown | None = None  # what was saved
    before: str | None = None  # the profile that was there before, as text

    @property
    def names(self) -> list[str]:
        """The fields shown, in the order they came."""
        return list(dict.fromkeys(name for picks in self.shown.values() for name in picks))

    @property
    def is_tried(self) -> bool:
        """Whether what was learned last is of all that is shown."""
        return self.trial is not None and self.tried is self.shown

    def show(self, page: int, name: str, picks: tuple[Pick, ...]) -> None:
        """Say what a page has of a field. Raises BadInput where it is too much."""
        if name not in self.names and len(self.names) >= FIELDS:
            raise BadInput(f"{FIELDS} fields are the most")
        if len(picks) > VALUES:
            raise BadInput(f"{VALUES} values of a page are the most")
        self._change({**self.shown, page: {**self.shown.get(page, {}), name: picks}})

    def forget(self, name: str, page: int | None) -> None:
        """Forget a field, or what was said of it on one page. Raises NotThere."""
        pages = [number for number, picks in self.shown.items() if name in picks and page in (None, number)]
        if not pages:
            raise NotThere(f"nothing was shown of {name!r:.80}")
        left = {
            number: {each: values for each, values in picks.items() if each != name or number not in pages}
            for number, picks in self.shown.items()
        }
        self._change({number: picks for number, picks in left.items() if picks})

    def undo(self) -> None:
        """Take the last change back. Raises NotNow where there is none."""
        if not self.past:
            raise NotNow("there is nothing to take back")
        self.shown = self.past.pop()

    def _change(self, shown: Shown) -> None:
        self.past = [*self.past[1 - _UNDONE :], self.shown]
        self.shown = shown


def examples_of(shown: Shown, page: int) -> dict[str, list[str]] | None:
    """Return what was said of a page in the form that learning takes; None where nothing was."""
    picks = shown.get(page)
    return None if picks is None else {name: [pick.value for pick in given] for name, given in picks.items()}


def check_name(given: str) -> str:
    """Return the name of a field as it is kept. Raises BadInput with the reason where it cannot be one."""
    name = " ".join(unicodedata.normalize("NFC", given).split())
    if not name:
        raise BadInput("the field needs a name, such as price")
    if len(name) > NAME_CHARS:
        raise BadInput(f"the name of a field has {NAME_CHARS} characters at most, this one {len(name)}")
    if not name.isprintable():
        raise BadInput("the name has a character that cannot be seen; write it with letters, digits and spaces")
    if name.lower() in _ELSEWHERE:
        raise BadInput(f"{name} are no field with a value; for them there is the page {_ELSEWHERE[name.lower()]!r}")
    return name


class Sittings:
    """All sittings of a room, one for each site."""

    def __init__(self, room: Room) -> None:
        self._room = room
        self._sittings: dict[str, Sitting] = {}

    def of(self, site: str) -> Sitting:
        """Return the sitting of a site. Raises NotThere where there is no such site."""
        if site not in self._room.site_keys():
            raise NotThere(f"there is no site {site!r:.80}")
        with self._room.lock:
            return self._sittings.setdefault(site, Sitting(site))
