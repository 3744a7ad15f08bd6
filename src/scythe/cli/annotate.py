"""`scythe annotate`: learn from labelled images, or open the web page for labelling.

A page named in labels is one of those given, by file or URL or an unambiguous end of either; else one labelled before;
else a file beside the labels; else it is fetched.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from scythe.cli.console import FAILED, OK, USAGE, complain, counted, neutralise, say_lines, show_progress, write_text
from scythe.cli.learn import load_to_learn
from scythe.cli.options import BaseUrl, Delay, argument, fetch_flags, option, verb
from scythe.cli.page_inputs import SETS, keep_good, load_pages, load_site, page_named, profile_at, save_site
from scythe.cli.ui import ServeWish
from scythe.cli.ui import open_page as open_web_page
from scythe.errors import BadInput
from scythe.fetch.fetch_options import FetchOptions
from scythe.fetch.inputs import (
    FROM_FILES,
    PAGE_SUFFIXES,
    Input,
    LoadedPage,
    check_base,
    is_address,
    load,
    spread,
)
from scythe.model import IMAGE_METHODS, RELEVANT, LabelledPage, PageImages
from scythe.output.document_writers import safe_name
from scythe.output.rows import safe_cell
from scythe.page import Page
from scythe.page.image_context import read_image_contexts
from scythe.url import host

if TYPE_CHECKING:
    from scythe.site.judge_images import ImageJudge
    from scythe.site.labels.annotators import Conflict
    from scythe.site.labels.label_files import Labels
    from scythe.site.labels.learn_labels import Annotated as Outcome
    from scythe.site.labels.match_labels import Lost


class LabelPages:
    """The pages at hand; the images of each are read once."""

    def __init__(self, pages: Sequence[LoadedPage], known: Sequence[LabelledPage], fetch: FetchOptions) -> None:
        self.pages = list(pages)
        self._known = {each.page.url: each.page for each in known if each.page.url}
        self._fetch = fetch
        self._images: dict[int, PageImages] = {}

    def find(self, names: Sequence[str], folder: Path) -> dict[str, PageImages | str]:
        """Return the images of each page named, or why there are none; pages that are not at hand are loaded."""
        at_hand = {name: at for at, page in enumerate(self.pages) for name in (page.name, page.url) if name}
        found = {name: at_hand[name] if name in at_hand else page_named(name, self.pages) for name in names}
        missing = [name for name in names if isinstance(found[name], str) and name not in self._known]
        wanted = [source for name in missing if (source := _source(name, folder))]
        loaded = show_progress(load(wanted, None, self._fetch), "loading", len(wanted))
        for source, page in zip(wanted, loaded, strict=False):
            found[source.name] = page.complaint or len(self.pages)
            if not page.complaint:
                self.pages.append(page)
        return {name: self.see(at) if isinstance(at, int) else self._known.get(name, at) for name, at in found.items()}

    def see(self, at: int) -> PageImages:
        """Return the images of a page at hand."""
        if at not in self._images:
            self._images[at] = read_image_contexts(open_page(self.pages[at]))
        return self._images[at]


def open_page(loaded: LoadedPage) -> Page:
    """Return a page for reading."""
    return Page.from_bytes(loaded.body, url=loaded.url, content_type=loaded.content_type)


def _source(name: str, folder: Path) -> Input | None:
    """Return where a page that was not given may be found."""
    if is_address(name):
        return Input(name, url=name)
    for path in (Path(name), folder / name):
        try:
            if path.is_file():
                return Input(name, path=path)
        except (OSError, ValueError):  # a name that no file can have
            continue
    return None


class LabelJob:
    """What a command works on: a profile, there or to be made, and pages."""

    def __init__(self, site: str, pages: Sequence[str], base: str | None, fetch: FetchOptions, delay_s: float) -> None:
        from scythe.archive.stored_sites import is_in_archive

        path = Path(site)
        self.site = site
        has_pages = is_address(site) or path.is_dir() or path.suffix.lower() in PAGE_SUFFIXES
        self.is_site = is_address(site)
        self.profile = None if has_pages or site.lower().endswith(SETS) else site
        self.exists = self.profile is not None and (path.exists() or is_in_archive(site))
        self.inputs = list(pages) if self.profile is not None else [site, *pages]
        self.base, self.fetch, self.delay_s = base, fetch, delay_s

    def load(self) -> list[LoadedPage]:
        """Load the pages given; of a site, some of its pages. What fails is said and left out."""
        if self.is_site:
            sampled = load_to_learn(self.inputs[:1], self.base, None, self.fetch, self.delay_s)
            return [*sampled, *keep_good(load_pages(self.inputs[1:], self.base, self.fetch))]
        return keep_good(load_pages(self.inputs, self.base, self.fetch))

    @property
    def known(self) -> str | None:
        """The profile, where it is there."""
        return self.profile if self.exists else None


def find_target(job: LabelJob, output: str | None, *, names_new: bool = True) -> Path:
    """Return the profile that is annotated: as said, SITE, or a new one named after the host. Raises BadInput."""
    if output is None and job.profile is None:
        if not (job.is_site and names_new):
            raise BadInput(f"{job.site} is not a profile; give the file to write with -o")
        output = f"{safe_name(host(job.site))}.json"
    is_missing = job.profile is not None and not job.exists and not job.inputs
    if names_new and is_missing and Path(job.profile or "").suffix.lower() != ".json":
        raise BadInput(f"{job.profile}: no such profile; they end with .json, and the address of a site with https://")
    return Path(output or job.profile or "")


def open_annotating(job: LabelJob, target: Path, serving: ServeWish, *, by: str | None, method: str | None) -> None:
    """Serve the page for annotating until it is interrupted. Raises BadInput, OSError."""
    from scythe.archive.stored_sites import is_in_archive
    from scythe.site.profile import open_profile
    from scythe.web.annotate.annotate_session import AnnotationSessions
    from scythe.web.state import State, StateOptions

    if is_in_archive(target):
        raise BadInput(f"{target} is an archive: its pages are annotated on the page of scythe ui --archive {target}")
    served = serving.options()
    _take_over(job, target)
    if target.exists():
        open_profile(target)  # what is wrong with it is said here, not on the page
    loaded = job.load() if job.inputs else []
    if job.inputs and not loaded:
        raise BadInput("there is no page to annotate")
    title = host(job.site) if job.is_site else target.stem
    state = State(StateOptions(None, target, title, job.fetch, job.delay_s), loaded)
    sessions = state.part(AnnotationSessions)
    sessions.by, sessions.method = by or "", method
    complain(f"what you mark is written to {target}")
    open_web_page(state, served, "/annotate", opens=serving.browser)


def _take_over(job: LabelJob, target: Path) -> None:
    """Begin with the profile that was named where another is to be written."""
    if job.known is None or Path(job.known) == target:
        return
    if target.exists():
        raise BadInput(f"{target} already exists; to extend it, give it as SITE")
    load_site(job.known).save(target)


_NO_LABELS = (
    "{option} needs labels from --from FILE; without them images are marked in the browser, which shows conflicts"
)
_SHOWN = 20  # labels that were not found, and conflicts, that are shown
_TEMPLATE = ("page", "image", "relevant", "score", "alt")
_DECISION = ("page", "image", "relevant", "by", "note")


@verb(os_error=USAGE, fetch=fetch_flags, serving=ServeWish)
def annotate(
    inputs: Annotated[list[str], argument("SITE [PAGES]...")],
    labels: list[str] | None = option(
        None, "Labels: CSV, JSON or JSON lines. Can be repeated, one file per person.", "--from FILE"
    ),
    template: bool = option(False, "Only write the images of PAGES as a table to correct."),
    by: str | None = option(
        None, "Annotator of labels without a name; default for several files: the file name.", "NAME"
    ),
    pages: list[str] | None = option(None, "The same as PAGES.", "PAGES"),
    method: str | None = option(
        None, "What learns from the labels; default: as in the profile.", f"{'|'.join(IMAGE_METHODS)}"
    ),
    output: str | None = option(None, "Output profile (default: SITE) or table.", "--output -o FILE"),
    conflicts_out: str | None = option(None, "Write conflicts between annotators here, to be resolved.", "FILE"),
    strict: bool = option(False, "Write no profile if annotators disagree or a label matches no image."),
    url: BaseUrl = None,
    delay: Delay = 1.0,
    *,
    fetch: FetchOptions,
    serving: ServeWish,
) -> int:
    from scythe.site.labels.label_files import open_labels

    job = LabelJob(inputs[0], [*inputs[1:], *(pages or [])], check_base(url), fetch, delay)
    if template:
        _write_template(job, output)
        return OK
    if method is not None and method not in IMAGE_METHODS:
        raise BadInput(f"--method {method}: expected one of {', '.join(IMAGE_METHODS)}")
    if not labels:
        for option, is_given in (("--strict", strict), ("--conflicts-out", conflicts_out is not None)):
            if is_given:
                raise BadInput(_NO_LABELS.format(option=option))
        open_annotating(job, find_target(job, output), serving, by=by, method=method)
        return OK
    try:
        target = find_target(job, output, names_new=False)
        names = [by if by is not None else Path(name).stem * (len(labels) > 1) for name in labels]
        tables = [(Path(name), open_labels(Path(name), own)) for name, own in zip(labels, names, strict=True)]
        _learn(job, tables, target, method, conflicts_out, strict=strict)
    except _Unwritten as why:
        complain(f"no profile was written: {why}")
        return FAILED
    return OK


def _learn(
    job: LabelJob,
    tables: Sequence[tuple[Path, Labels]],
    target: Path,
    method: str | None,
    conflicts_out: str | None,
    *,
    strict: bool,
) -> None:
    """Learn from labels of files, write the profile and say what came of it."""
    from scythe.site.site import Site

    labelled = profile_at(job.known).profile.images.labelled if job.known is not None else ()
    shelf = LabelPages(job.load(), labelled, job.fetch)
    placed, lost = _place(shelf, tables)
    _show_lost(lost)
    if not placed:
        raise _Unwritten("no label could be used")
    given = [(page.url, page.body) for page in shelf.pages]
    site = load_site(job.known) if job.known is not None else Site.learn([*spread(given, FROM_FILES)])
    outcome = site.annotate(placed, given, method=method)
    _tell_conflicts(outcome.conflicts, conflicts_out)
    if strict and (outcome.conflicts or lost):
        raise _Unwritten("not all labels could be used" if lost else "people do not agree")
    save_site(str(target), site)
    say_lines(_report(outcome, len(lost), target))


class _Unwritten(Exception):
    """Why a profile was not written though nothing was wrong with the command."""


def _place(shelf: LabelPages, tables: Sequence[tuple[Path, Labels]]) -> tuple[list[LabelledPage], list[Lost]]:
    """Find what the labels of all files mean."""
    from scythe.site.labels.learn_labels import place_labels

    placed, lost = [], []
    for path, labels in tables:
        names = list(dict.fromkeys(label.page for label in labels.rows))
        labelled, missing = place_labels(labels, shelf.find(names, path.parent))
        placed += labelled
        lost += missing
    return placed, lost


def _write_template(job: LabelJob, output: str | None) -> None:
    from scythe.site.judge_images import ImageJudge

    if job.profile is not None and not job.inputs:
        raise BadInput("--template needs pages: files or URLs")
    known = profile_at(job.known).profile.images if job.known is not None else None
    if job.profile is not None and known is None:
        complain(f"{job.profile}: there is no such profile yet; the guesses are those for any site")
    loaded = job.load()
    if not loaded:
        raise BadInput("there is no page to make a table of")
    pages = [(open_page(page), page.url or page.name) for page in loaded]
    judge = ImageJudge(known)
    rows = [row for page, name in pages for row in _template_rows(page, name, judge)]
    _write_table(_TEMPLATE, rows, output)
    if output is not None and output != "-":
        said = f"{counted(len(rows), 'image')} of {counted(len(pages), 'page')} written to {output}"
        typer.echo(neutralise(f"{said}; correct the column relevant (1 or 0), then: --from {output}"))


def _template_rows(page: Page, name: str, judge: ImageJudge) -> Iterator[tuple[str, ...]]:
    """Yield one row for each image of a page, with what the judge thinks of it.

    An image is named by its address and, where the page shows that several times, by its number in front.
    """
    from scythe.site.labels.match_labels import name_images

    contexts = read_image_contexts(page)
    for use, image, score in zip(page.images, name_images(contexts), judge.score(contexts), strict=True):
        yield name, image, str(int(score >= RELEVANT)), f"{score:.2f}", use.image.alt or use.image.caption


def _name_people(people: Iterable[str]) -> str:
    """Return names in one text; who gave none is called nobody."""
    return ", ".join(by or "(no name)" for by in people)


def _write_table(columns: tuple[str, ...], rows: Iterable[tuple[str, ...]], output: str | None) -> None:
    """Write CSV to a file, or to standard output (None or -). No cell becomes a formula. Raises OSError."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\r\n" if output not in (None, "-") else "\n")
    writer.writerow(columns)
    writer.writerows([safe_cell(" ".join(cell.split())) for cell in row] for row in rows)
    # without the mark at the beginning spreadsheets take UTF-8 for something else
    write_text(("" if output in (None, "-") else "\ufeff") + text.getvalue(), output)


def _tell_conflicts(conflicts: Sequence[Conflict], output: str | None) -> None:
    """Show on standard error what people do not agree on, and write it to a file if asked to."""
    if conflicts:
        _show_conflicts(conflicts)
    if output is not None:
        rows = []
        for one in conflicts:
            sides = (("relevant", one.relevant_by), ("not relevant", one.irrelevant_by))
            note = "; ".join(f"{what}: {_name_people(people)}" for what, people in sides)
            rows.append((one.page, one.image, "", "", note))
        _write_table(_DECISION, rows, output)


def _show_lost(lost: Sequence[Lost]) -> None:
    """Say which labels belong to no image; of a page that is not there, once."""
    pages = Counter((one.label.page, one.why) for one in lost if one.is_page)
    lines = [f"{page}: {why}; {counted(count, 'label')} of it lost" for (page, why), count in pages.items()]
    lines += [f"{one.at}: {one.label.image} of {one.label.page}: {one.why}" for one in lost if not one.is_page]
    for line in lines[:_SHOWN]:
        complain(line)
    if len(lines) > _SHOWN:
        complain(f"{len(lines) - _SHOWN} more were not found")


def _show_conflicts(conflicts: Sequence[Conflict]) -> None:
    table = Table("page", "image", "relevant", "not relevant")
    for one in conflicts[:_SHOWN]:
        cells = (one.page, one.image, _name_people(one.relevant_by), _name_people(one.irrelevant_by))
        table.add_row(*(Text(" ".join(neutralise(cell).split()), overflow="fold") for cell in cells))
    console = Console(stderr=True, highlight=False)
    console.print(Text(f"people do not agree on {counted(len(conflicts), 'image')}:"))
    console.print(table)
    if len(conflicts) > _SHOWN:
        console.print(Text(f"{len(conflicts) - _SHOWN} more: --conflicts-out FILE has them all"))


def _report(outcome: Outcome, lost: int, target: Path) -> Iterator[str]:
    """Say what was learned."""
    marks = [marks for each in outcome.new for marks in each.marks]
    relevant = sum(len(each.relevant) for each in marks)
    images = relevant + sum(len(each.irrelevant) for each in marks)
    people = _name_people(dict.fromkeys(each.by for each in marks if each.by))
    known = outcome.profile.images
    said = f"{counted(len(outcome.new), 'page')}{f' by {people}' if people else ''}"
    yield f"{said}: {counted(images, 'image')} labelled, {relevant} relevant; written to {target}"
    yield f"labelled in all: {counted(len(known.labelled), 'page')}; labels not found: {lost}"
    for page, by in outcome.replaced:
        yield f"replaced: what {by or 'the same person'} said of {page} before"
    for pair in outcome.agreement:
        kappa = f", kappa {pair.kappa:.2f}" if pair.kappa is not None else ""
        names = _name_people((pair.first, pair.second))
        yield f"agreement: {names}: {100 * pair.agreed:.1f} % of {counted(pair.images, 'image')}{kappa}"
    if outcome.conflicts:
        yield f"conflicts: {counted(len(outcome.conflicts), 'image')}, which count for neither side where it is a tie"
    if outcome.note:
        yield f"no model by {known.method}: {outcome.note}"
    quality = outcome.quality
    if quality is not None:
        figures = f"f {quality.f:.2f}, precision {quality.precision:.2f}, recall {quality.recall:.2f}"
        yield f"expected quality: {figures} (each of {quality.pages} pages left out in turn)"
