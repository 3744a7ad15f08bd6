"""`scythe mcp`: offer scythe's operations to a language model as tools."""

from __future__ import annotations

from pathlib import Path

from scythe.cli.options import BaseUrl, Delay, MorePages, fetch_flags, option, verb
from scythe.cli.page_inputs import open_state
from scythe.fetch.fetch_options import FetchOptions
from scythe.fetch.inputs import check_base

HELP = """Offer scythe to a language model as tools, over the Model Context Protocol on standard input and output.

The tools are the operations of `scythe ui`: read a page, list its records, extract it by a learned site, suggest pages
to annotate, search an archive, show documents, records and the schedule. PAGES are saved pages to load: files, folders,
quoted patterns, page sets, or URLs. Tools that change something (fetch pages, start a crawl, watch a list) require
--allow-changes. Pages of this machine and of private networks are refused without --allow-private; files always are.

The program that runs the model starts it: configure the command `scythe` with the arguments `mcp` and the options
below. Needs the extra `mcp`.

Examples:
  scythe mcp                                        read any page of the web
  scythe mcp --archive news.db                      and what a crawl or a watch archived
  scythe mcp --profile site.json                    and extract pages of a learned site
  scythe mcp --archive news.db --allow-changes      and crawl and watch

Exit codes:
  0  stopped by the program that started it
  1  the archive cannot be used
  2  invalid command, or the extra is not installed
"""


@verb(HELP, needs_arguments=False, fetch=fetch_flags)
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
