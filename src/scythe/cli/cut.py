"""`scythe cut`: extract the fields of pages with a profile."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from scythe.cli.console import USAGE, RunCounts, attempt, complain, counted, say_lines, show_progress
from scythe.cli.options import BaseUrl, CsvSafe, Pages, ProfilePath, csv_cells, fetch_flags, option, verb
from scythe.cli.page_inputs import load_pages, load_site, save_site
from scythe.cli.sinks import open_document_sink, require_format
from scythe.errors import BadInput
from scythe.fetch.fetch_options import FetchOptions
from scythe.fetch.inputs import LoadedPage, check_base
from scythe.model import Document
from scythe.output.document_writers import DocumentForm, NamedDocument, fields_row
from scythe.output.formats import FIELDS, Writer, formats_of

if TYPE_CHECKING:
    from scythe.site.site import Site


VIAS = ("auto", "cut", "tree")


@dataclass(slots=True)
class CutCounts(RunCounts):
    """What a run of cutting came to."""

    pages: int = 0
    took_ns: int = 0
    fields: Counter[str] = field(default_factory=Counter)  # cut, tree, missing

    def summary(self) -> str:
        """Say it in one line."""
        total = max(self.fields.total(), 1)
        shares = ", ".join(f"{100 * self.fields[how] / total:.1f} % {how}" for how in ("cut", "tree", "missing"))
        each = f", {self.took_ns / self.pages / 1000:.0f} us a page" if self.pages else ""
        failed = f", {self.failed} failed" if self.failed else ""
        return f"{counted(self.pages, 'page')}{failed}; fields: {shares}{each}"


@verb(os_error=USAGE, fetch=fetch_flags)
def cut(
    profile: ProfilePath,
    pages: Pages,
    output: str | None = option(None, "Output file; default: standard output.", "--output -o FILE|DIR"),
    format_: str | None = option(
        None, "Output format; default: by the suffix of -o, or jsonl.", f"--format -f {'|'.join(formats_of(FIELDS))}"
    ),
    via: str = option(
        "auto",
        "auto: cut, parse the HTML in doubt; cut: never parse, leave doubtful fields out; tree: always parse.",
        "auto|cut|tree",
    ),
    url: BaseUrl = None,
    csv_safe: CsvSafe = None,
    *,
    fetch: FetchOptions,
    update: bool = option(False, "Save relearned layouts and observed drift to PROFILE."),
    verbose: bool = option(False, "Report on standard error how each field was found.", "--verbose -v"),
) -> int:
    site = load_site(profile)
    loaded = load_pages(pages, check_base(url), fetch)
    sink = _open(output, format_, via, site, csv_cells(csv_safe))
    noted = len(site.drift.log)
    tally, shown = CutCounts(), show_progress(loaded, "cutting", None)
    tally.run(shown, sink, lambda page: _cut_one(page, sink, site, via, tally, verbose=verbose))
    complain(tally.summary())
    _tell_changes(site, noted)
    if update:
        save_site(profile, site)
    return tally.code()


def _open(output: str | None, format_: str | None, via: str, site: Site, cells: str) -> Writer[NamedDocument]:
    if via not in VIAS:
        raise BadInput(f"--via {via}: expected one of {', '.join(VIAS)}")
    require_format(format_, FIELDS)
    names = tuple(name for name in site.profile.fields if name != "records")  # which are rows of their own
    form = DocumentForm(fields_row, names, default="jsonl", cells=cells)
    return open_document_sink(output, format_, many=True, form=form)


def _cut_one(
    page: LoadedPage, sink: Writer[NamedDocument], site: Site, via: Any, tally: CutCounts, *, verbose: bool
) -> str:
    """Extract one page and hand it to the sink; return a complaint, or an empty string."""

    def work() -> tuple[Document, int, list[str]]:
        began = time.perf_counter_ns()
        document = site.extract(page.body, url=page.url, via=via)
        for got in document.fields.values():
            len(got.values)  # images are worked out when asked for, and belong to the time
        took_ns = time.perf_counter_ns() - began
        return document, took_ns, list(sink.put(NamedDocument(page.name, document)))

    done, complaint = attempt(work)
    if done is None:
        return complaint
    document, took_ns, complaints = done
    tally.pages += 1
    tally.took_ns += took_ns
    tally.fields.update(got.how.partition(":")[0] for got in document.fields.values())
    if page.cut_at_bytes is not None:
        complain(f"{page.name}: incomplete: the download ended after {page.cut_at_bytes} bytes")
    if verbose:
        hows = (f"  {name}: {got.how}" for name, got in document.fields.items())
        say_lines([f"{page.name}: {took_ns / 1000:.0f} us", *hows], to_errors=True)
    return "; ".join(complaints)


def _tell_changes(site: Site, noted: int) -> None:
    """Say what stopped matching and what was learned again in this run."""
    from scythe.site.drift import describe

    drift = site.drift
    for change in drift.log[noted:]:
        if change.what == "learned":
            complain(f"learned again: {change.layout}{f' ({change.note})' if change.note else ''}")
    for event in drift.events:
        complain(f"the site has changed: {describe(event)}")
