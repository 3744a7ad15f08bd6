"""`scythe plugins`: list installed plug-ins and check that they load."""

from __future__ import annotations

import json
from dataclasses import asdict

import typer

from scythe.cli.console import FAILED, OK, complain, neutralise
from scythe.cli.options import AsJson, verb
from scythe.errors import BadInput
from scythe.plugins import GROUPS, PlugIn, list_plug_ins, load_plug_in


@verb(needs_arguments=False)
def plugins(as_json: AsJson = False) -> int:
    found = list_plug_ins()
    failures = [why for why in map(_why_not, found) if why]
    for part in found:
        line = f"{part.kind:<22} {part.name:<16} {part.package:<24} {part.value}"
        typer.echo(json.dumps(asdict(part)) if as_json else neutralise(line))
    if not found and not as_json:
        typer.echo(
            f"No plug-ins installed. Packages offer them in the entry point groups {', '.join(GROUPS.values())}."
        )
    for why in dict.fromkeys(failures):
        complain(why)
    return FAILED if failures else OK


def _why_not(part: PlugIn) -> str:
    """Return why a part cannot be loaded, or nothing."""
    try:
        load_plug_in(part.kind, part.name)
    except BadInput as error:
        return str(error)
    return ""
