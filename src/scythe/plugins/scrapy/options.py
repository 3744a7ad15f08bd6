"""What a Scrapy project asks of scythe: its settings come in, a record goes out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from scrapy.exceptions import NotConfigured

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

# what most who collect pages want, and what costs next to nothing once a site is learned
USUAL = ("url", "title", "text", "author", "published", "language", "images")


@dataclass(frozen=True, slots=True)
class PluginOptions:
    """The settings whose names begin with SCYTHE_."""

    fields: Mapping[str, str]  # name in the item -> what of the page, as `values` calls it
    profiles: str = ""  # a folder, or an archive; empty: what is learned is forgotten with the process
    learns: bool = True
    archive: str = ""  # where pages and records are stored
    stores: bool = False

    @classmethod
    def of(cls, settings: BaseSettings) -> PluginOptions:
        """Read the settings. Raises NotConfigured where one is not what it should be."""
        options = cls(
            fields=_fields(settings.get("SCYTHE_FIELDS", USUAL)),
            profiles=str(settings.get("SCYTHE_PROFILES") or ""),
            learns=settings.getbool("SCYTHE_LEARN", True),
            archive=str(settings.get("SCYTHE_ARCHIVE") or ""),
            stores=settings.getbool("SCYTHE_STORE", False),
        )
        if options.stores and not options.archive:
            raise NotConfigured("SCYTHE_STORE wants to know where: SCYTHE_ARCHIVE = 'FILE.db' or 'postgresql://...'")
        return options


def _fields(given: object) -> Mapping[str, str]:
    """Accept {item field: scythe's name}, a list of names, or a text with commas between them."""
    if isinstance(given, str):
        given = [name.strip() for name in given.split(",") if name.strip()]
    if isinstance(given, Mapping):
        pairs = dict(given)
    elif isinstance(given, list | tuple | set | frozenset):
        pairs = {name: name for name in given}
    else:
        pairs = {"": None}
    if not all(isinstance(name, str) and name and isinstance(what, str) for name, what in pairs.items()):
        raise NotConfigured(f"SCYTHE_FIELDS is a dict of names, or a list of names, not {given!r:.80}")
    return MappingProxyType(pairs)
