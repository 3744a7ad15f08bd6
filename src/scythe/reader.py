"""Read one page without having learned its site: `scythe.read`, `scythe.get` and `scythe.read_lists`.

Also says why a page has no main text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from scythe.errors import BadInput, FetchFailed
from scythe.fetch.page_check import PLAIN_TEXT, header, is_html, sniff_bytes, sniff_text
from scythe.limits import LIMITS
from scythe.model import Document, Reading, RecordList, TextOptions
from scythe.page import Page
from scythe.page.content import PageContent, Prose, content_box
from scythe.page.page import bytes_of, opening_of
from scythe.page.whole_choice import complete_choice
from scythe.reading.images.image_methods import DEFAULT, AskSizes, MarkImages, mark_chosen, mark_measured
from scythe.reading.images.image_methods import image_method as image_method_called
from scythe.reading.lists.list_methods import LazyPageLists
from scythe.reading.lists.list_methods import record_method as lists_method
from scythe.reading.text import TextMethod
from scythe.reading.text import method as text_method
from scythe.reading.text.roles import CAPTION, COMMENT, TABLE, TITLE, roles
from scythe.url import FOLDER, absolute, hide_users

_LITTLE = 1_500  # characters; error pages, walls and loading screens of the page sets stay below
_MISSING = re.compile(r"\b(?:404|410|not found|page not found|no longer available|does not exist)\b", re.IGNORECASE)
_SCRIPT_NEEDED = re.compile(
    r"\b(?:enable|requires?|turn on|activate) javascript\b|\bjavascript is (?:disabled|off|required)", re.I
)
_WALL = re.compile(
    r"\b(?:captcha|are you (?:a )?human|verify you are|checking your browser|unusual traffic)\b", re.IGNORECASE
)
_COOKIES = re.compile(
    r"\b(?:accept|use|uses|our|all|enable) cookies\b|\bcookie (?:policy|settings|consent)\b", re.IGNORECASE
)


def explain_empty(page: Page) -> str:
    """Return why nothing was kept, as far as the page shows it, or "" when there is no evidence."""
    if not page.html.strip():
        return "empty page"
    if page.map.find("frameset"):
        return "frameset"
    text = " ".join(page.blocks.text)
    if len(text) > _LITTLE:
        return ""
    if any((node.attributes.get("http-equiv") or "").lower() == "refresh" for node in page.map.find("meta")):
        return "redirect by meta refresh"
    return _explain_little(page, text)


def _explain_little(page: Page, text: str) -> str:
    if any((node.attributes.get("type") or "").lower() == "password" for node in page.map.find("input")):
        return "login wall"
    if _WALL.search(text):
        return "captcha wall"
    if _MISSING.search(page.declared_title) or _MISSING.search(text):
        return "soft 404"
    unscripted = " ".join(node.text() for node in page.map.find("noscript"))
    if _SCRIPT_NEEDED.search(text) or (_SCRIPT_NEEDED.search(unscripted)):
        return "only a script application"
    if not text:
        return "only a script application" if page.map.find("script") else "no text"
    return "cookie wall" if _COOKIES.search(text) else ""


_NOT_READ = "not read"  # what `how` says of what cannot be on something that is no HTML page


@dataclass(frozen=True, slots=True)
class Judging:
    """A way to judge the images of a page and what it is called."""

    name: str
    mark: MarkImages


def read(
    html: str | bytes | Path | Page,
    url: str | None = None,
    *,
    method: str | TextMethod | None = None,
    options: TextOptions | None = None,
    content_type: str | None = None,
    image_method: str = DEFAULT,
    image_sizes: AskSizes | None = None,
    record_method: str = "auto",
) -> Document:
    """Read one page by its tree. Any page gives a Document; one without main text has an empty `text` and says `why`.

    `method` is the text method, or its name, parameters behind it, and wins over `options.method`; `record_method` is
    that of the lists; `content_type` is the header the page came with;
    `image_method` says how the images are judged that the text method has no word on. Nothing asks for an image unless
    `image_sizes` does: it is given their addresses and returns their real sizes, when images are first wanted.
    A path is read as a file. Raises BadInput when an argument has the wrong type or no method has that name, and
    OSError where a file cannot be read.
    """
    options = _checked(html, url, options, None if callable(method) else method)
    choose = method if callable(method) else text_method(method or options.method)
    if record_method != "auto":  # which loads all that reads lists
        lists_method(record_method)  # raises BadInput for a name nobody has
    mark = image_method_called(image_method)
    if image_sizes is not None:
        mark = partial(mark_measured, name=image_method, ask=image_sizes)
    judging = Judging(image_method, mark)
    return read_by(
        choose, html, url, options=options, content_type=content_type, judging=judging, record_method=record_method
    )


def get(
    url: str,
    *,
    method: str | None = None,
    options: TextOptions | None = None,
    timeout_s: float = LIMITS.fetch_s,
    allow_private: bool = False,
) -> Document:
    """Fetch one address and read the page. Inside an event loop, await `scythe.aio.get`.

    robots.txt is not consulted: a person named the page. `timeout_s` is for all of it; addresses of private networks
    are refused unless `allow_private`. Raises FetchFailed where no page comes back, BadInput on wrong arguments.
    """
    work = fetch_document(url, method=method, options=options, timeout_s=timeout_s, allow_private=allow_private)
    import asyncio  # workers do without

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    work.close()
    raise RuntimeError("scythe.get starts an event loop of its own; inside a running one await scythe.aio.get")


async def fetch_document(
    url: str,
    *,
    method: str | None = None,
    options: TextOptions | None = None,
    timeout_s: float = LIMITS.fetch_s,
    allow_private: bool = False,
) -> Document:
    """Do what `get` does inside a running event loop."""
    from scythe.fetch import FetchOptions, fetch_all, require_page
    from scythe.fetch.inputs import note_cut

    options = _checked("", url, options, method)
    choose = text_method(method or options.method)
    reach = FetchOptions(timeout_s=timeout_s, allow_private=allow_private)
    async with aclosing(fetch_all([url], options=reach)) as results:
        result = await anext(results)
    if isinstance(result, FetchFailed):
        raise result
    page = require_page(result)
    content_type = header(page, "Content-Type") or None
    work = partial(read_by, choose, page.body, page.url, options=options, content_type=content_type)
    from asyncio import to_thread

    return note_cut(await to_thread(work), page.cut_at_bytes)


def read_by(
    choose: TextMethod,
    html: str | bytes | Path | Page,
    url: str | None = None,
    *,
    options: TextOptions | None = None,
    content_type: str | None = None,
    judging: Judging | None = None,
    record_method: str = "auto",
) -> Document:
    """Do what `read` does by a text method and a way to judge images that are at hand."""
    options = options or TextOptions()
    page, kind = _page(html, url, content_type)
    if page is None or kind:
        return _plain(page) if page is not None and kind == PLAIN_TEXT else _not_html(kind, url)
    return _document(page, choose(page, options), options, judging, record_method)


def read_lists(
    html: str | bytes | Path | Page,
    url: str | None = None,
    *,
    method: str = "auto",
    everything: bool = False,
    content_type: str | None = None,
) -> tuple[RecordList, ...]:
    """Return the lists of records of one page, best first, without reading its text.

    `method` is "auto" or a published one, "mdr" or "stm"; `everything` also returns what is no record of anything, such
    as menus and footers, last (only "auto" tells them apart). What is not HTML has no lists.
    Raises BadInput when an argument has the wrong type or no method has that name.
    """
    _checked(html, url, None, method)
    read_by = lists_method(method)
    page, kind = _page(html, url, content_type)
    if page is None or kind:
        return ()
    if method == "auto" and everything:
        from scythe.reading.lists.find_lists import read_records

        return read_records(page, everything=True)
    return read_by(page)


def _page(html: str | bytes | Path | Page, url: str | None, content_type: str | None) -> tuple[Page | None, str]:
    """Return the page, None where there is no text to it, and what it is if it is not HTML."""
    if isinstance(html, Path):
        with html.open("rb") as file:
            html = file.read(LIMITS.body_bytes + 1)
        from scythe.fetch.saved_pages import saved_address

        url = url or saved_address(html) or FOLDER
    if isinstance(html, bytes | bytearray | memoryview):
        kind = sniff_bytes(bytes(html[:4096]), content_type)
        if kind:
            return None, kind
        page = Page.from_bytes(bytes(html), url=url, content_type=content_type)
    else:
        page = html if isinstance(html, Page) else Page.from_text(html, url=url)
    if is_html(opening_of(page), content_type):
        return page, ""
    return page, sniff_text(page.html, content_type)


def _checked(html: object, url: object, options: object, method: object) -> TextOptions:
    if not isinstance(html, str | bytes | bytearray | memoryview | Path | Page):
        raise BadInput(f"html must be str, bytes, Path or Page, not {type(html).__name__}")
    if isinstance(html, str) and (hint := _mistaken(html.strip())):
        raise BadInput(f"html is {hint}")
    if url is not None and not isinstance(url, str):
        raise BadInput(f"url must be str or None, not {type(url).__name__}")
    if method is not None and not isinstance(method, str):
        raise BadInput(f"method must be the name of a text method, not {type(method).__name__}")
    if options is None:
        return TextOptions()
    if not isinstance(options, TextOptions):
        raise BadInput(f"options must be TextOptions, not {type(options).__name__}")
    return options


def _mistaken(text: str) -> str:
    """Say what a text is that names a page in place of being one, and what to call; "" for anything else."""
    if len(text) > LIMITS.url_chars or "<" in text or len(text.split()) != 1:
        return ""
    from scythe.fetch.inputs import PAGE_SUFFIXES, is_address

    if is_address(text):
        return f"an address, not a page: scythe.get({hide_users(text)!r}) fetches it"
    if Path(text).suffix.lower() in PAGE_SUFFIXES:
        return f"the name of a file, not a page: give Path({text!r})"
    return ""


def _document(
    page: Page, reading: Reading, options: TextOptions, judging: Judging | None = None, record_method: str = "auto"
) -> Document:
    _ = page.linked_data  # what cannot be read of it is a loss
    if len(bytes_of(page)) > LIMITS.page_images * 5 and len(page.map.find("img")) > LIMITS.page_images:
        _ = page.images  # read at once: what goes beyond the limit is a loss of the document
    kept, heading = _apply(page, reading, options, page.title[0] if options.title_line else "")
    judging = judging or Judging(DEFAULT, image_method_called(DEFAULT))
    if reading.images is not None:
        judging = Judging(reading.method, partial(mark_chosen, chosen=reading.images))
    content = _content(page, reading, options, kept, heading, judging.mark)
    text = content.text()
    why = "" if text else _why(page, reading)
    how = {
        "text": _text_how(page, reading, kept, why),
        "images": f"{judging.name}: by the tree, when asked for",
        "records": f"{record_method}: by the tree, when asked for",
        "attributes": "auto: by the tree, when asked for",
    }
    return Document(
        title=lambda: page.title[0],
        text=text,
        metadata=lambda: page.metadata,
        how=lambda: {"title": page.title[1], **how},
        url=page.url,
        losses=lambda: page.losses,
        why=why,
        content=content,
        listing=LazyPageLists(page, record_method),
        kind=reading.kind,
        confidence=partial(_expect_quality, page, reading) if reading.scores else None,
    )


def _expect_quality(page: Page, reading: Reading) -> float | None:
    from scythe.reading.text.confidence import expect_quality  # numpy is half of the time of `scythe --help`

    return expect_quality(page, reading)


def _content(
    page: Page, reading: Reading, options: TextOptions, kept: tuple[int, ...], heading: str, mark: MarkImages
) -> PageContent | Prose:
    if reading.text is None:
        return PageContent(page, kept, options, heading, mark)
    return Prose(f"{heading}\n\n{reading.text}".strip("\n"), mark(page, ()))


def _why(page: Page, reading: Reading) -> str:
    if reading.kept or reading.text:
        return "the options leave nothing of the text"
    return explain_empty(page) or reading.why or "no main text found"


def _text_how(page: Page, reading: Reading, kept: tuple[int, ...], why: str) -> str:
    if why:
        return f"empty: {why}"
    if reading.text is not None:
        return f"{reading.method}: {len(reading.text)} characters"
    return f"{reading.method}: {len(kept)} of {len(page.blocks)} blocks"


def _apply(page: Page, reading: Reading, options: TextOptions, title: str) -> tuple[tuple[int, ...], str]:
    """Add and drop blocks by role as the options ask; return them with a title line that no block holds."""
    kept = complete_choice(page, reading.kept, reading.scores) if reading.method == "auto" else reading.kept
    if reading.text is not None:
        return kept, title if options.title_line and not reading.text.startswith(title) else ""
    wishes = {TITLE: options.title_line, CAPTION: options.captions, COMMENT: options.comments, TABLE: options.tables}
    if not kept or all(wish is None for wish in wishes.values()):
        return kept, ""
    by_block = roles(page)
    chosen = {i for i in kept if wishes.get(by_block[i]) is not False}
    chosen.update(i for i in _area(page, kept, by_block) if wishes.get(by_block[i]))
    if not options.title_line or any(by_block[i] == TITLE for i in chosen):
        return tuple(sorted(chosen)), ""
    above = [i for i in range(kept[0]) if by_block[i] == TITLE]
    chosen.update(above[-1:])  # the last one: the same words may stand in a bread crumb further up
    return tuple(sorted(chosen)), "" if above else title


def _area(page: Page, kept: tuple[int, ...], by_block: list[str]) -> Iterable[int]:
    """Return the visible blocks with a role that lie inside the content; comments count wherever they are."""
    blocks, box = page.blocks, content_box(page.blocks, kept)
    inside = range(min(kept[0], blocks.box_start[box]), max(kept[-1] + 1, blocks.box_end[box]))
    wanted = (i for i, role in enumerate(by_block) if role == COMMENT or (role and i in inside))
    return (i for i in wanted if not blocks.box_hidden[blocks.box[i]])


def _plain(page: Page) -> Document:
    body = "\n".join(line.rstrip() for line in page.html.replace("\x00", "").splitlines()).strip("\n")
    paragraphs = [part.strip("\n") for part in body.split("\n\n") if part.strip()]
    text = "\n\n".join(paragraphs)
    why = "" if text else "empty page"
    how = _how(f"plain text: {len(paragraphs)} paragraphs" if text else f"empty: {why}")
    return Document(text=text, how=how, url=page.url, losses=page.losses, why=why, content=Prose(text))


def _not_html(kind: str, url: str | None) -> Document:
    why = f"not HTML: looks like {kind}"
    return Document(how=_how(f"empty: {why}"), url=absolute(url) if url else None, why=why)


def _how(text: str) -> dict[str, str]:
    return {"text": text, "images": _NOT_READ, "records": _NOT_READ, "attributes": _NOT_READ}
