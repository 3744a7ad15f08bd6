"""The `Site` class: learn a site, extract its pages, and monitor what still works.

pages -> parsed -> layouts -> rules -> Profile                Site.learn
body  -> layout -> cut from bytes -> parsed in doubt          Site.extract
outcome -> health -> drift -> learn again                     Site.drift
labels of images -> marks -> used from then on                Site.annotate
examples -> rules -> further fields                           Site.add_fields
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from threading import Lock

from scythe.atomic_files import write_atomically
from scythe.errors import BadInput
from scythe.model import Document, LabelledPage, PageImages
from scythe.page import Page
from scythe.page.image_context import read_image_contexts
from scythe.site.drift import Drift, Health, TreeBudget
from scythe.site.extract import Extractor, Via
from scythe.site.labels.learn_labels import Annotated, annotate, list_labels, place_labels
from scythe.site.labels.match_labels import Lost
from scythe.site.learn.learn_site import Example, LessonPage, learn_profile, make_lesson_page
from scythe.site.learn.merge_layout import Taught, add_layout_fields, count_present
from scythe.site.monitor import Memory, Monitor, PendingLayouts, memorable
from scythe.site.profile import Saved, dump_profile, load_profile, open_profile
from scythe.site.rules import DEFAULT_FIELDS, Layout, Profile

Given = Page | tuple[str | None, bytes | str]
Shown = Mapping[str, Sequence[str]] | Mapping[str, str]  # values by field name; one value need not be in a list


class Site:
    """Rules for the pages of one site. Extracting also keeps an eye on how well the rules still hold."""

    def __init__(self, profile: Profile, *, notes: tuple[str, ...] = (), monitor: Monitor | None = None) -> None:
        self.notes = notes  # why something was not learned, for people
        self._monitor = monitor or Monitor(
            Health(sum(layout.pages for layout in profile.layouts)), Memory(memorable(profile))
        )
        self._pending = PendingLayouts(self._monitor.health)
        self._lock = Lock()
        self._budget: TreeBudget | None = None
        self.profile = profile
        self._extractor = Extractor(profile, profile.fields, note=self._note)

    @classmethod
    def learn(
        cls,
        pages: Iterable[Given],
        examples: Sequence[Shown | None] | None = None,
        *,
        fields: Sequence[str] | None = None,
    ) -> Site:
        """Learn a site from some of its pages, best ten or more, spread over the site.

        Without `examples` the fields are title, text, date, author, images and records. `examples` holds for each page
        the values wanted from it (`{"price": ["$12"]}`; an empty list: this page has none) or None where nobody looked;
        then only these fields are learned, and those of the first kind that `fields` names. Raises BadInput on wrong
        arguments.
        """
        given = list(pages)
        if not given:
            raise BadInput("Site.learn needs at least one page")
        shown = _examples(examples, len(given)) if examples is not None else None
        wanted = _wanted(shown, fields)
        lessons = [_lesson(page, shown[i] if shown is not None else None) for i, page in enumerate(given)]
        profile, notes = learn_profile(lessons, wanted)
        site = cls(profile, notes=notes)
        site._look_back(lessons)
        return site

    def extract(self, body: bytes | str, url: str | None = None, via: Via = "auto") -> Document:
        """Extract one page of the site.

        `via` "auto" cuts from the bytes and asks the tree where a cut is in doubt; "cut" leaves doubtful fields out;
        "tree" follows the same rules on the tree, to check cuts by. `fields[name].how` says how each field was got.
        """
        if via not in ("auto", "cut", "tree"):
            raise BadInput(f"via must be auto, cut or tree, not {via!r}")
        if url is not None and not isinstance(url, str):
            raise BadInput(f"url must be str or None, not {type(url).__name__}")
        body = _bytes(body)
        page = self._extractor.extract_page(body, url, via)
        if via == "auto":
            with self._lock:
                better = (
                    self._monitor.attend(self.profile, page, body, url)
                    or self._pending.attend(self.profile, page, body, url)
                    or self._extractor.tuned()
                )
                if better is not None:
                    self._adopt(better)
        return page.document

    def annotate(
        self,
        labels: Mapping[str, Sequence[str]] | Sequence[LabelledPage],
        pages: Iterable[Given] = (),
        *,
        by: str = "",
        method: str | None = None,
    ) -> Annotated:
        """Teach the site which images are relevant; what it extracts from now on heeds it.

        `labels` has the relevant images by page: addresses, or numbers such as `#3`; all others of the page are not
        relevant. `pages` must hold the pages named, and should hold some more, on which it is learned where images
        stand. `by` is who says so; two people may differ. `method` is "relevance" or a published one. Raises BadInput
        where labels or pages are not what they should be.
        """
        bodies = [_address_and_body(page) for page in pages]
        seen = [read_image_contexts(Page.from_bytes(body, url=url)) for url, body in bodies]
        new, lost = _placed(labels, seen, by)
        with self._lock:
            outcome = annotate(self.profile, new, method=method, bodies=bodies, seen=seen)
            self._adopt(outcome.profile)
        return replace(outcome, lost=tuple(lost))

    def add_fields(self, pages: Iterable[Given], examples: Sequence[Shown | None]) -> Taught:
        """Teach the site further fields by example; what it knows already stays.

        `examples` is as for `learn`: one entry per page, None where nobody looked; some pages without are welcome. A
        field that the site has is replaced on the layouts on which it is shown. Raises BadInput on wrong arguments.
        """
        given = list(pages)
        lessons = [_lesson(page, shown) for page, shown in zip(given, _examples(examples, len(given)), strict=True)]
        with self._lock:
            taught = add_layout_fields(self.profile, lessons)
            self._monitor = Monitor.load(self._monitor.dump(), taught.profile)
            self._pending = PendingLayouts(self._monitor.health)
            self._adopt(taught.profile)
            for lesson in lessons:
                self._monitor.memory.remember(lesson.url, {k: tuple(v) for k, v in (lesson.example or {}).items()})
        return taught

    def skip_hopeless_trees(self) -> Site:
        """From now on, ask the tree less often for a field that few pages have and that it never had; return self.

        What is extracted then depends a little on the pages before: for crawls, not for proofs.
        """
        self._budget = TreeBudget()
        self._adopt(self.profile)
        return self

    @property
    def drift(self) -> Drift:
        """What stopped matching and since when, and what was learned again."""
        return self._monitor.health.drift

    @classmethod
    def load(cls, path: str | Path) -> Site:
        """Load a profile that `save` wrote. Raises BadInput when it is damaged, edited or from a newer version."""
        return cls._take_up(open_profile(path), str(path))

    def save(self, path: str | Path) -> None:
        """Write the profile, and how it has fared, as versioned JSON."""
        write_atomically(Path(path), self.to_json().encode())

    @classmethod
    def from_json(cls, text: str) -> Site:
        """Load a profile from the text that `to_json` returned. Raises BadInput as `load` does."""
        return cls._take_up(load_profile(text), "profile")

    def to_json(self) -> str:
        """Return what `save` writes."""
        return dump_profile(self.profile, self._monitor.dump())

    @classmethod
    def _take_up(cls, saved: Saved, name: str) -> Site:
        try:
            monitor = Monitor.load(saved.health, saved.profile)
        except BadInput as error:
            raise BadInput(f"{name}: {error}") from None
        return cls(saved.profile, monitor=monitor)

    def _note(self, layout: Layout, url: str | None, part: str, how: str) -> None:
        """Take note of how records and images of a page were got; they are worked out when someone asks for them."""
        with self._lock:
            health = self._monitor.health
            (health.observe_records if part == "records" else health.observe_images)(layout, how, url)

    def _adopt(self, profile: Profile) -> None:
        # what labels teach is fitted once, not whenever rules are tuned
        judge = self._extractor.judge if profile.images is self.profile.images else None
        self.profile = profile
        self._extractor = Extractor(profile, profile.fields, judge, self._budget, self._note)

    def _look_back(self, lessons: Sequence[LessonPage]) -> None:
        """Extract the pages learned, to see what is normal, and remember what was shown on them."""
        extracted = [self._extractor.extract_page(lesson.source.body, lesson.url, "auto") for lesson in lessons]
        for page in extracted:
            self._extractor.observe(page)
        self._adopt(count_present(self._extractor.tuned(now=True) or self.profile, extracted))
        for lesson, page in zip(lessons, extracted, strict=True):
            self._monitor.look_back(page, lesson.source.body, lesson.url, lesson.example or {})
            self._pending.look_back(self.profile, page, lesson.source.body, lesson.url)
        self._monitor.settle(self.profile)


def _placed(labels: object, seen: Sequence[PageImages], by: str) -> tuple[Sequence[LabelledPage], list[Lost]]:
    if isinstance(labels, Mapping):
        return place_labels(list_labels(labels, by), {page.url: page for page in seen if page.url})
    if not isinstance(labels, Sequence) or not all(isinstance(each, LabelledPage) for each in labels):
        raise BadInput(f"labels are a dict of image addresses by page, not {type(labels).__name__}")
    return labels, []


def _wanted(examples: Sequence[Example | None] | None, fields: Sequence[str] | None) -> tuple[str, ...]:
    named = tuple(dict.fromkeys(name for example in examples or () for name in example or ()))
    if fields is None:
        return named or DEFAULT_FIELDS
    unknown = set(fields) - set(named) - set(DEFAULT_FIELDS)
    if unknown:
        raise BadInput(
            f"no example shows {', '.join(sorted(unknown))}; without examples there are {', '.join(DEFAULT_FIELDS)}"
        )
    return tuple(dict.fromkeys((*named, *fields)))


def _examples(given: Sequence[object], pages: int) -> list[Example | None]:
    if len(given) != pages:
        raise BadInput(
            f"examples must have one entry per page, None without an example: {len(given)} entries, {pages} pages"
        )
    return [_example(example) for example in given]


def _example(given: object) -> Example | None:
    """Check what was shown of one page; a single value need not be in a list."""
    if given is None:
        return None
    if not isinstance(given, Mapping):
        raise BadInput(f"an example is a dict of values by field name, or None, not {type(given).__name__}")
    shown: dict[str, tuple[str, ...]] = {}
    for name, values in given.items():
        values = (values,) if isinstance(values, str) else values
        is_listed = isinstance(values, Sequence) and all(isinstance(value, str) for value in values)
        if not isinstance(name, str) or not is_listed:
            raise BadInput(f"the example of {name!r} must be text or a list of texts, not {values!r:.60}")
        shown[name] = tuple(values)
    return shown


def _lesson(given: object, example: Example | None) -> LessonPage:
    url, body = _address_and_body(given)
    return make_lesson_page(body, url, example)


def _address_and_body(given: object) -> tuple[str | None, bytes]:
    if isinstance(given, Page):
        return given.url, given.html.encode()
    if not (isinstance(given, tuple) and len(given) == 2):
        raise BadInput(f"a page is a Page or a pair (url, bytes), not {type(given).__name__}")
    url, body = given
    if url is not None and not isinstance(url, str):
        raise BadInput(f"the url of a page must be str or None, not {type(url).__name__}")
    return url, _bytes(body)


def _bytes(body: object) -> bytes:
    if isinstance(body, str):
        return body.encode("utf-8", "replace")
    if isinstance(body, bytes | bytearray | memoryview):
        return bytes(body)
    raise BadInput(f"a body is bytes or str, not {type(body).__name__}")
