"""The rules of a learned site: profile, layouts, ways to fields, lists and images."""

from __future__ import annotations

from dataclasses import dataclass

from scythe.model import SiteImages

# what a way takes at the opening tag it leads to
ELEMENT = "element"  # the text of the whole element, white space squeezed
LEAD = "lead"  # the text between the opening tag and the next tag
TAIL = "tail"  # the text between the end of the element and the next tag
ATTRIBUTE = "attribute"  # the value of one attribute of the opening tag
FLOW = "flow"  # the text of the whole element in paragraphs and lines, without the dropped parts
TAKES = (ELEMENT, LEAD, TAIL, ATTRIBUTE, FLOW)
KINDS = ("tag", "before", "inside", "after", "label", "ahead")  # of rules; a profile with others is not loaded

DEFAULT_FIELDS = ("title", "text", "date", "author", "images", "records")  # learned without examples
USUALLY = 0.9  # share of the pages learned that have a field; one that is there less often may be missing


@dataclass(frozen=True, slots=True)
class Rule:
    """One path to an opening tag: find `anchor`, then step from it. All literals are bytes of the page as received.

    With `nth` 0 the target begins `skip` bytes after the start of the anchor, and the anchor covers at least `<name` of
    it. Otherwise the target is the n-th opening tag matching `step` that begins after the start of the anchor (1, 2,
    ...) or before it (-1, -2, ...). A tag matches a literal when its source begins with it and, where the literal is no
    more than `<name`, the name ends there. Only true opening tags count: none in comments, scripts or attribute values.
    The first true occurrence of the anchor from `position` on is taken, or, where there is none, the first of the page.
    """

    kind: str  # tag, before, inside, after, label, ahead: what the anchor is to the target; for people and for the vote
    anchor: bytes
    skip: int = 0  # bytes
    step: bytes = b""
    nth: int = 0
    reach: int = 0  # bytes between anchor and target at most; beyond, the rule is silent; 0 with nth 0
    position: int = 0  # byte offset where the search begins: a hint that only saves time while the anchor is unique


COUNTED = frozenset({"inside", "after"})  # kinds of rules that count tags from an element in front


@dataclass(frozen=True, slots=True)
class Way:
    """Rules that lead to the same opening tag, best first, and what to take there.

    The rules are followed in order until `needed` of them agree on a place; that place is the answer. Rules that count
    tags from an element in front fail together, so they agree only with one of another kind or with the first rule.
    """

    take: str
    rules: tuple[Rule, ...]
    needed: int = 2
    attribute: str = ""  # lower case, for ATTRIBUTE
    before: str = ""  # the wanted part of the squeezed text begins after the first occurrence of this
    after: str = ""  # ... and ends at the first occurrence of this from there on; a text without it gives nothing
    repeats: bool = False  # take every match of the first rule's anchor on the page, not one place
    end: bytes = b""  # bytes that begin with the element's closing tag and follow it on every page learned; b"": none
    inner_tags: int = -1  # opening tags of the same name inside, itself counted; -1: it varies
    drops: tuple[bytes, ...] = ()  # FLOW: openings of elements inside that are left out
    skip_lines: tuple[str, ...] = ()  # FLOW: lines, as rendered, that stand on many pages and are left out


@dataclass(frozen=True, slots=True)
class Usual:
    """What a field looked like on the pages learned: against it later pages are judged."""

    pages: int = 0  # on which it was looked for
    present: int = 0  # on which it was found
    shortest: int = 0  # characters
    longest: int = 0
    middle: int = 0  # median length
    first: int = 0  # lowest byte offset
    last: int = 0
    script: str = ""  # Unicode script of most letters: latin, cyrillic, han, ...; "" where there are too few
    form: str = ""  # what every value has: "digits", "letters", "no letters", several joined by "+"

    @property
    def is_expected(self) -> bool:
        """Whether nearly all pages learned have the field, so that a page without it is worth a second look."""
        return 0 < USUALLY * self.pages <= self.present


@dataclass(frozen=True, slots=True)
class FieldRules:
    """How to get one field of one layout: the first way that gives something is taken."""

    name: str
    ways: tuple[Way, ...]
    usual: Usual = Usual()


@dataclass(frozen=True, slots=True)
class ColumnRules:
    """One column of a list: its name, and the places inside a record whose texts stand in it."""

    name: str
    places: tuple[str, ...]  # paths of labels from the record down, as `page.entries` writes them


@dataclass(frozen=True, slots=True)
class ListRules:
    """How to get the records of one list of a layout.

    Of the true elements inside the holder whose tags match a literal of `heads` or `members`, those count that are in
    no other of them. Each head begins a record, and the members that follow it up to the next head are part of it.
    """

    heads: tuple[bytes, ...]
    columns: tuple[ColumnRules, ...]
    members: tuple[bytes, ...] = ()  # of further siblings that make up a record, as `dd` follows `dt`
    holder: tuple[Way, ...] = ()  # to the element around all records, the first that leads there; (): the whole page
    kind: str = "list"
    pattern: str = ""  # the tag tree that the records share
    score: int = 0  # thousandths, mean of the pages learned
    pages: int = 0  # of the layout that were learned
    present: int = 0  # of them that have the list
    fewest: int = 0  # records of a page that has it
    most: int = 0
    tight: bool = False  # nothing with the tag of a record ever stood between two of them
    outside: int = 0  # elements that match `heads` but are not in the holder, on the page learned that has most

    @property
    def is_expected(self) -> bool:
        """Whether nearly all pages learned have the list, so that a page without it is worth a second look."""
        return 0 < USUALLY * self.pages <= self.present


@dataclass(frozen=True, slots=True)
class ImageArea:
    """One element of a layout that holds relevant images, and how images inside it were judged on the whole."""

    ways: tuple[Way, ...] = ()  # to the element, the first that leads there; (): the element of the field `text`
    path: tuple[str, ...] = ()  # the element and what it stands in, innermost first, as labels of `page.image_areas`
    score: int = 0  # mean of the images inside, thousandths
    pages: int = 0  # of the layout that were learned
    present: int = 0  # of them that have the area, with an image in it unless it is that of the text

    @property
    def is_expected(self) -> bool:
        """Whether nearly all pages learned have the area, so that a page without it is worth a second look."""
        return 0 < USUALLY * self.pages <= self.present


@dataclass(frozen=True, slots=True)
class ImageRules:
    """Where the relevant images of a layout stand, and how images there were judged on the pages learned."""

    areas: tuple[ImageArea, ...] = ()  # on a page those inside another do not count
    scores: tuple[tuple[str, int], ...] = ()  # by the keys of `page.image_areas`, thousandths
    sources: tuple[tuple[str, int], ...] = ()  # by address, of images that many pages show, thousandths
    pages: int = 0  # of the layout that were learned; 0: nothing is known, the tree is asked
    present: int = 0  # of them that have relevant images
    named: int = 0  # of them that show an image outside of areas which they name as their own, as sites do with logos

    @property
    def heeds_named(self) -> bool:
        """Whether an image that a page names as its own and shows outside of areas is worth a second look."""
        return 3 * self.named <= self.pages


@dataclass(frozen=True, slots=True)
class Layout:
    """Pages of one template and the fields they have."""

    name: str
    fields: tuple[FieldRules, ...]
    marks: tuple[bytes, ...] = ()  # literals of the page source; a page with the most of them is of this layout
    shapes: tuple[str, ...] = ()  # URL shapes seen
    encodings: tuple[str, ...] = ("utf-8",)  # codecs of the pages learned
    pages: int = 0
    boilerplate: tuple[str, ...] = ()  # patterns of lines that its pages share and that are no text of any of them
    lists: tuple[ListRules, ...] = ()  # what its pages list, best first; (): not known, the tree is asked
    images: ImageRules = ImageRules()  # with pages but without areas: they have no relevant ones


@dataclass(frozen=True, slots=True)
class Profile:
    """Everything learned of one site."""

    layouts: tuple[Layout, ...]
    fields: tuple[str, ...] = ()  # the names that were asked for
    hosts: tuple[str, ...] = ()
    learned: str = ""  # ISO 8601, UTC
    boilerplate: tuple[str, ...] = ()  # the same of all pages together, for pages of no known layout
    named: tuple[str, ...] = ()  # of the fields, those learned by example: reading a page cold says nothing of them
    images: SiteImages = SiteImages()  # noqa: RUF009  it is frozen
