"""What pages cost: a file with measured costs comes in, one record with all of them goes out, and back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from scythe.errors import BadInput

TEXT, FULL = "text", "text,images,records"  # parts that costs are known for
MEASURED = Path(__file__).parent / "tables" / "scale_costs.json"


@dataclass(frozen=True, slots=True)
class Line:
    """CPU time as it grows with the size of a page."""

    fixed_us: float
    per_kb_us: float

    def us(self, kb: float) -> float:
        """Return the microseconds of a page of so many kilobytes."""
        return self.fixed_us + self.per_kb_us * kb


@dataclass(frozen=True, slots=True)
class Ways:
    """What it costs to extract certain parts of a page, each way, and to write what was found."""

    cut: Line
    tree: Line  # a page of a learned site for which the tree was asked, or which was read cold
    cold: Line
    write: Line
    tree_share: float  # of the pages of a learned site
    row_kb: float  # of a page in Parquet files


@dataclass(frozen=True, slots=True)
class Costs:
    """All that was measured, on one machine, in seconds of CPU of one core."""

    machine: str
    pages: str  # what pages were measured on
    page_kb: float
    decode: Line  # a page out of a .warc.gz
    ways: Mapping[str, Ways]  # by parts
    learn_s: float  # a site, from the pages named below, reading them included
    learn_pages: int
    take_up_ms: float  # a profile, from its file to the first page
    profile_kb: float
    crawl_ms: float  # to ask for a page, find its links and store it, without extracting
    more_requests: float  # of a host, beside its pages: robots.txt, sitemaps
    store_ms: float  # wall clock of one connection to store a page with its links in PostgreSQL
    stored_kb: float  # of a page in that archive, indexes included
    address_bytes: float  # of an address that waits, in the same
    links: float  # new addresses that a page of those stored named

    def to_json(self) -> str:
        return json.dumps(asdict(self), indent=1) + "\n"


def load_costs(path: Path = MEASURED) -> Costs:
    """Read what `Costs.to_json` wrote. Raises BadInput."""
    try:
        plain = json.loads(path.read_text(encoding="utf-8"))
        ways = {parts: _ways(each) for parts, each in plain.pop("ways").items()}
        decode = Line(**plain.pop("decode"))
        known = {field.name for field in fields(Costs)}
        return Costs(ways=ways, decode=decode, **{name: value for name, value in plain.items() if name in known})
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise BadInput(f"{path}: no costs as `python -m bench scale --measure --costs` writes them ({error})") from None


def _ways(plain: dict[str, Any]) -> Ways:
    lines = {name: Line(**plain[name]) for name in ("cut", "tree", "cold", "write")}
    return Ways(**lines, tree_share=plain["tree_share"], row_kb=plain["row_kb"])
