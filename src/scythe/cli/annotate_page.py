"""`scythe annotate` without labels: a site and its pages come in, the web page to mark images on goes out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from scythe.cli.ending import complain
from scythe.cli.label_job import Job
from scythe.cli.ui import open_page
from scythe.errors import BadInput
from scythe.export import safe_name
from scythe.url import host

if TYPE_CHECKING:
    from scythe.web.serve import ServeOptions


def find_target(job: Job, output: str | None) -> Path:
    """Return the profile that is annotated: as said, SITE, or one named after the host. Raises BadInput."""
    if output is None and job.profile is None:
        if not job.is_site:
            raise BadInput(f"{job.site} is no profile; say with -o where to write one")
        output = f"{safe_name(host(job.site))}.json"
    if job.profile is not None and not job.exists and not job.inputs and Path(job.profile).suffix.lower() != ".json":
        raise BadInput(f"{job.profile}: no such profile; they end with .json, and the address of a site with https://")
    return Path(output or job.profile or "")


def open_annotating(
    job: Job, target: Path, serving: ServeOptions, *, by: str | None, method: str | None, opens: bool
) -> None:
    """Serve the page for annotating until it is interrupted. Raises BadInput, OSError."""
    from scythe.profiles.profile import open_profile
    from scythe.web.annotate_desk import Desk
    from scythe.web.room import Room, RoomOptions

    _take_over(job, target)
    if target.exists():
        open_profile(target)  # what is wrong with it is said here, not on the page
    loaded = job.load() if job.inputs else []
    if job.inputs and not loaded:
        raise BadInput("there is no page to annotate")
    title = host(job.site) if job.is_site else target.stem
    room = Room(RoomOptions(None, target, title, job.reach, job.delay_s), loaded)
    desk = room.part(Desk)
    desk.by, desk.method = by or "", method
    complain(f"what you mark is written to {target}")
    open_page(room, serving, "/annotate", opens=opens)


def _take_over(job: Job, target: Path) -> None:
    """Begin with the profile that was named where another is to be written."""
    if not job.exists or job.profile is None or Path(job.profile) == target:
        return
    if target.exists():
        raise BadInput(f"{target} is there already; to go on with it name it as SITE")
    from scythe.site import Site

    Site.load(job.profile).save(target)
