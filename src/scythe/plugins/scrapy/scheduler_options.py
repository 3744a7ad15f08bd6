"""The settings of a Scrapy project -> what its durable scheduler is to do."""

from __future__ import annotations

from dataclasses import dataclass

from scrapy.settings import BaseSettings

from scythe.errors import BadInput

_SHORTEST_S, _LONGEST_S = 12.0, 86_400.0  # holds are renewed every second; no hold is longer than a day


@dataclass(frozen=True, slots=True)
class SchedulerOptions:
    """What the settings SCYTHE_... say."""

    archive: str  # SCYTHE_ARCHIVE: a file or a postgresql:// address
    crawl: str = ""  # SCYTHE_CRAWL: processes with the same name share their requests; empty: the name of the spider
    lease_s: float = 60.0  # SCYTHE_LEASE: a process of another machine that is silent for so long has lost its requests
    hold_hosts: bool = True  # SCYTHE_HOLD_HOSTS: a host is asked by one process at a time
    anew: bool = False  # SCYTHE_ANEW: forget what the crawl of this name asked before
    ask_failed: bool = False  # SCYTHE_ASK_FAILED: ask again what failed before

    @classmethod
    def from_settings(cls, settings: BaseSettings) -> SchedulerOptions:
        """Read the settings of a project. Raises BadInput."""
        archive, lease_s = str(settings.get("SCYTHE_ARCHIVE") or ""), settings.getfloat("SCYTHE_LEASE", 60.0)
        if not archive:
            raise BadInput("scythe's scheduler needs the setting SCYTHE_ARCHIVE: a file, or a postgresql:// address")
        if not _SHORTEST_S <= lease_s <= _LONGEST_S:
            raise BadInput(f"SCYTHE_LEASE is from {_SHORTEST_S:.0f} to {_LONGEST_S:.0f} seconds, not {lease_s:g}")
        return cls(
            archive,
            str(settings.get("SCYTHE_CRAWL") or ""),
            lease_s,
            settings.getbool("SCYTHE_HOLD_HOSTS", True),
            settings.getbool("SCYTHE_ANEW"),
            settings.getbool("SCYTHE_ASK_FAILED"),
        )
