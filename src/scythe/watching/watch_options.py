"""`ListOptions`, stored with each watched page, and `WatchOptions` of the process."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, replace
from typing import Any, ClassVar

import msgspec

from scythe.crawling.crawl_options import require_parts
from scythe.errors import BadInput
from scythe.fetch.fetch_options import RunOptions
from scythe.reading.method_names import check_methods
from scythe.schedule.policies import policy_kind
from scythe.watch_model import DAY_S, Goals
from scythe.watching.list_identity import MOST, Chosen

OLDER_PAGES = 20
_MOST_OLDER_PAGES = 1_000


@dataclass(frozen=True, slots=True)
class ListOptions:
    """What is wanted of one page."""

    policy: str = "auto"  # one of schedule.policies.POLICIES
    goals: Goals = field(default_factory=Goals)
    older_pages: int = OLDER_PAGES  # to follow back, at most, where nothing known is left on the first; 0: none
    follow: bool = False  # archive the page of each new record too
    parts: tuple[str, ...] = ("text", "images")  # what to extract of those
    regions: tuple[Chosen, ...] = ()  # the lists of the page that are meant; none: all
    others: tuple[Chosen, ...] = ()  # its other lists, when those were chosen: not to be taken for them

    def __post_init__(self) -> None:
        """Raise BadInput where a value cannot be meant."""
        policy_kind(self.policy)
        if not 0 <= self.older_pages <= _MOST_OLDER_PAGES:
            raise BadInput(f"0 to {_MOST_OLDER_PAGES} older pages can be followed, not {self.older_pages}")
        if max(len(self.regions), len(self.others)) > MOST:
            raise BadInput(f"at most {MOST} lists of a page can be chosen, not {len(self.regions)}")
        require_parts(self.parts)

    def to_json(self) -> str:
        """Write them as they are kept in an archive."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> ListOptions:
        """Read what `to_json` wrote; what is missing, or not known here, is as by default, but lists stay chosen."""
        chosen: dict[str, Any] = {}
        try:
            plain = json.loads(text)
            for name in ("regions", "others"):
                chosen[name] = msgspec.convert(plain.pop(name, ()), tuple[Chosen, ...])[:MOST]
            return replace(msgspec.convert(plain, cls), **chosen)
        except (
            ValueError,
            TypeError,
            AttributeError,
            msgspec.ValidationError,
            BadInput,
        ):  # by a newer version, or damaged
            return cls(**chosen)


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchOptions(RunOptions):
    """How politely, with how much at once, and how to fetch."""

    PURPOSE: ClassVar[str] = "watches lists"

    accept: str = "text/html,application/xhtml+xml,application/rss+xml,application/atom+xml,*/*;q=0.5"
    patience_s: float = DAY_S  # a host that is away is not given up: the plan of each list says when to come again
    methods: tuple[str, ...] = ()  # published ones by which lists and the pages of their records are read
    once: bool = False  # visit what is due, each page once, then end

    def __post_init__(self) -> None:
        """Raise BadInput where a value cannot be meant."""
        RunOptions.__post_init__(self)
        check_methods(self.methods)
