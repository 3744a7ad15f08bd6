"""What a site was crawled with before: the notes of its last run come in, what this run goes on with goes out."""

from __future__ import annotations

import json

from scythe.crawling.options import PARTS
from scythe.errors import BadInput
from scythe.profiles.profile import load_profile

_TOLD = 10  # names of fields


def recall_parts(notes: str) -> tuple[str, ...] | None:
    """Return the parts that were last asked for, those that are known here; None where nobody has said."""
    kept = json.loads(notes).get("parts") if notes else None
    return None if kept is None else tuple(part for part in kept if part in PARTS)


def note_parts(notes: str, parts: tuple[str, ...] | None) -> str:
    """Write parts into notes, for `recall_parts`."""
    return notes if parts is None else json.dumps({**json.loads(notes), "parts": parts})


def tell_before(parts: tuple[str, ...] | None, profile: str | None) -> str:
    """Say in a line what is used since it was used before; empty where that is nothing a person once said."""
    used = [] if parts is None else [f"--parts {','.join(parts)}"]
    names = _taught(profile)
    if names:
        more = f" and {len(names) - _TOLD} more" if len(names) > _TOLD else ""
        used.append(f"a profile with {', '.join(names[:_TOLD])}{more}")
    return f"as when this site was crawled before: {' and '.join(used)}" if used else ""


def _taught(profile: str | None) -> tuple[str, ...]:
    """Return the fields of a profile that were learned by example."""
    try:
        return load_profile(profile).profile.named if profile else ()
    except BadInput:  # of a newer version: it is not used either
        return ()
