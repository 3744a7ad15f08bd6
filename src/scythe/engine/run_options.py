"""How a run over sites goes to the network: how it fetches, how politely, and with how much at once."""

from __future__ import annotations

from dataclasses import dataclass

from scythe.fetch.fetch_options import FetchOptions, require_counts, require_seconds


@dataclass(frozen=True, slots=True)
class RunOptions(FetchOptions):
    """What a crawl and a watch have in common; the defaults suit a site that is not yours."""

    delay: float = 1.0  # seconds between two requests to a host, at least; robots.txt may ask for more
    obey_robots: bool = True
    render: bool = False  # load pages in a browser
    workers: int = 1  # processes that extract
    patience_s: float = 60.0  # wait so long for a host that is away or wants to be asked later

    def __post_init__(self) -> None:
        """Raise BadInput where a value cannot be meant."""
        FetchOptions.__post_init__(self)
        require_counts(self, "workers")
        require_seconds(self, "delay", "patience_s")
