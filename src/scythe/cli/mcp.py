"""`scythe mcp`: offer scythe's operations to a language model as tools."""

from __future__ import annotations

from pathlib import Path

from scythe.cli.options import BaseUrl, Delay, MorePages, fetch_flags, option, verb
from scythe.cli.page_inputs import open_state
from scythe.fetch.fetch_options import FetchOptions
from scythe.fetch.inputs import check_base


@verb(needs_arguments=False, fetch=fetch_flags)
def mcp(
    pages: MorePages = None,
    archive: str | None = option(None, "The archive to show; created if it does not exist.", "FILE|postgresql://..."),
    profile: str | None = option(None, "Profile of a learned site, for extracting pages.", "FILE"),
    allow_changes: bool = option(False, "Also offer tools that change something."),
    most_chars: int = option(
        40_000, "Maximum characters of a response; longer ones are marked as cut.", min=1_000, max=10_000_000
    ),
    url: BaseUrl = None,
    delay: Delay = 1.0,
    *,
    fetch: FetchOptions,
) -> None:
    from scythe.web.state import StateOptions
    from scythe.web.tools import serve_tools

    options = StateOptions(archive, Path(profile) if profile else None, "", fetch, delay)
    state = open_state(pages or [], check_base(url), options)
    try:
        serve_tools(state, allow_changes=allow_changes, most_chars=most_chars)
    finally:
        state.close()
