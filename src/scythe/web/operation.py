"""What the web page and its JSON interface can do: a record for each thing; routes, OpenAPI and tools come of them.

An operation is a plain function of the room and of what is wanted. It runs in a thread, so it may take its time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

import msgspec

from scythe.limits import LIMITS
from scythe.web.refusals import NotNow as NotNow
from scythe.web.refusals import NotThere as NotThere
from scythe.web.room import Room

# What requests may say is bounded by its type, so that the description of the interface tells it, too.
Number = Annotated[int, msgspec.Meta(ge=1, le=2**63 - 1)]  # of a page, a record, a job: what databases can hold
Key = Annotated[str, msgspec.Meta(max_length=500)]  # of a site, a list, a field
Address = Annotated[str, msgspec.Meta(max_length=LIMITS.url_chars)]


class Wanted(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is said with a request: names in the path, the query of a GET, the JSON body of a POST."""


class Nothing(Wanted, frozen=True):
    """A request that says nothing."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One thing that programs can ask for."""

    method: str  # GET: nothing changes; POST
    path: str  # below /api/, with {names} that `wanted` has
    call: Callable[[Room, Any], Any]  # returns what becomes JSON
    wanted: type[Wanted]
    answer: Any  # the type of what it returns
    summary: str  # one line, for the documentation
    tool: str = ""  # its name for language models; empty: it is none of theirs
    only_reads: bool = False  # a POST that changes nothing: what it wants is too much for an address

    @property
    def name(self) -> str:
        """Its name in the documentation: that of its function."""
        return self.call.__name__

    @property
    def changes(self) -> bool:
        """Whether anything is otherwise afterwards."""
        return self.method != "GET" and not self.only_reads


@dataclass(frozen=True, slots=True)
class View:
    """One page for people: what `call` returns fills the template."""

    path: str
    template: str
    call: Callable[[Room, Any], dict[str, Any]]
    wanted: type[Wanted] = Nothing
    area: str = ""  # the entry of the menu that it belongs to


@dataclass(frozen=True, slots=True)
class Sent:
    """A body that is not JSON: a plot, a download, a saved page."""

    body: bytes
    content_type: str
    policy: str  # its Content-Security-Policy
    file_name: str = ""  # not empty: it is saved, not shown


@dataclass(frozen=True, slots=True)
class Document:
    """One thing to load that is neither JSON nor a page of ours; `call` returns it."""

    path: str
    call: Callable[[Room, Any], Sent]
    wanted: type[Wanted] = Nothing
