"""What the web page and the tools work on: pages, a profile and an archive come in as named, a room goes out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from scythe.cli.pages import keep_good, load_pages
from scythe.errors import BadInput

if TYPE_CHECKING:
    from scythe.web.room import Room, RoomOptions


def open_room(inputs: Sequence[str], base: str | None, options: RoomOptions) -> Room:
    """Load pages and open a room on them. Raises BadInput, and ArchiveFailed now rather than at the first look."""
    from scythe.web.room import Room

    loaded = keep_good(load_pages(inputs, base, options.reach))
    if inputs and not loaded:
        raise BadInput("none of the pages could be loaded")
    room = Room(options, loaded)
    if options.archive is not None:
        with room.archive():
            pass
    return room
