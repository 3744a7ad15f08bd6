"""Write the rules of a site as CSS selectors, XPaths, regular expressions, or code for parsel and Scrapy.

Each is tried on pages at hand: it comes with the share of those on which it gives the same value as scythe, white space
aside. Of what was learned, several ways to say where the element stands are proposed, and the best is taken.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from html import unescape
from itertools import islice

from scythe.errors import BadInput
from scythe.page.dates import to_iso
from scythe.page.map import PageMap
from scythe.site.element_patterns import (
    AFTER,
    BEGINS,
    CHILD,
    DASH,
    ENDS,
    FOLLOWING,
    HAS,
    HOLDS,
    INSIDE,
    IS,
    NEXT,
    PARENT,
    WORD,
    WORDS,
    AtTest,
    AttributeTest,
    ElementPattern,
    NotTest,
    NthTest,
    PatternStep,
    Test,
    TextTest,
)
from scythe.site.element_rules import ElementRule, follow_rule, write_tag
from scythe.site.evidence import around
from scythe.site.extract import Extractor, map_page
from scythe.site.papers.string_search import VOID
from scythe.site.rule_syntax import ANY_CASE, VALUE_ATTRIBUTES, compile_rule
from scythe.site.rules import Profile

CSS, XPATH, REGEX, PARSEL, SCRAPY = FORMS = ("css", "xpath", "regex", "parsel", "scrapy")
_CANDIDATES_FROM = 3  # pages
_ABOVE = 6  # elements around one that may hold it
_LABEL_CHARS = 40
_MOST_OPENINGS = 5_000  # on a page on which an expression is tried


@dataclass(frozen=True, slots=True)
class ExportedRule:
    """One field of one layout in another tool's words."""

    field: str
    layout: str  # "": all
    form: str  # css, xpath, regex
    text: str  # "": none can be written
    takes_all: bool = False
    pages: int = 0  # on which scythe has a value
    same: int = 0  # of these, on which this gives the same
    note: str = ""

    @property
    def share(self) -> float:
        """The share of pages with the same value."""
        return self.same / self.pages if self.pages else 0.0


def to_css(pattern: ElementPattern, *, loosely: bool = False) -> str | None:
    """Write a pattern as a CSS selector, with `::attr()` and `::text` as parsel has them; None where CSS cannot.

    A tag whose class is to have some words and no others is written as it stands, or `loosely` with those words.
    """
    if pattern.place is not None:
        return None
    chains = [_css_chain(chain, loosely=loosely) for chain in pattern.chains]
    if None in chains:
        return None
    taken = f"::attr({pattern.attribute})" if pattern.attribute else "::text" if pattern.own_text else ""
    return ", ".join(f"{chain}{taken}" for chain in chains)


_SHORT = {("class", WORD): ".", ("id", IS): "#"}
_SIGNS = {INSIDE: " ", CHILD: " > ", NEXT: " + ", AFTER: " ~ "}


def _css_chain(chain: Sequence[PatternStep], *, loosely: bool) -> str | None:
    written = ""
    for step in chain:
        parts = [_css_test(test, step, number, loosely=loosely) for number, test in enumerate(step.tests)]
        tests = "".join(filter(None, parts))
        if step.axis not in _SIGNS or None in parts or (not written and step.axis != INSIDE and step.tag != "html"):
            return None
        written += (_SIGNS[step.axis] if written else "") + (f"{step.tag}{tests}" or "*")
    return written


def _css_test(test: Test, step: PatternStep, number: int, *, loosely: bool = False) -> str | None:
    if isinstance(test, AttributeTest):
        if test.op == WORDS and loosely:
            words = [AttributeTest(test.name, WORD, word) for word in test.value.split()]
            return "".join(filter(None, (_css_test(word, step, number) for word in words)))
        if test.op == HAS:
            return f"[{test.name}]"
        if re.fullmatch(r"-?[A-Za-z_][\w-]*", test.value) and (test.name, test.op) in _SHORT:
            return f"{_SHORT[test.name, test.op]}{test.value}"
        op = IS if test.op == WORDS else test.op
        return (
            f'[{test.name}{op}"{_css_text(test.value)}"{" i" if test.any_case and test.name not in ANY_CASE else ""}]'
        )
    if isinstance(test, AtTest) and number == 0 and step.axis in (INSIDE, CHILD):
        counted = "of-type" if step.tag else "child"
        return f":nth-{counted}({test.at})" if test.at > 0 else f":nth-last-{counted}({-test.at})"
    if isinstance(test, NthTest):
        kind = f"nth-{'last-' if test.from_end else ''}{'of-type' if test.of_type else 'child'}"
        return f":{kind}({test.a}n+{test.b})" if test.a else f":{kind}({test.b})"
    if isinstance(test, NotTest) and len(test.tests) == 1 and isinstance(test.tests[0], AttributeTest | NthTest):
        return f":not({_css_test(test.tests[0], step, 1)})"
    return None


def _css_text(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\a ")


def to_xpath(pattern: ElementPattern) -> str:
    """Write a pattern as an XPath."""
    taken = f"/@{pattern.attribute}" if pattern.attribute else "/text()" if pattern.own_text else ""
    chains = ["".join(_xpath_step(step) for step in chain) for chain in pattern.chains]
    if pattern.place is not None:
        at = str(pattern.place) if pattern.place > 0 else _from_last(pattern.place)
        return f"({' | '.join(chains)})[{at}]{taken}"
    return " | ".join(f"{chain}{taken}" for chain in chains)


_XPATH_AXES = {INSIDE: "//", CHILD: "/", AFTER: "/following-sibling::", FOLLOWING: "/following::"}


def _from_last(at: int) -> str:
    return "last()" if at == -1 else f"last()-{-at - 1}"


def _xpath_step(step: PatternStep) -> str:
    tests = "".join(f"[{_xpath_test(test, step.tag)}]" for test in step.tests)
    if step.axis == PARENT:
        return f"/parent::{step.tag or '*'}{tests}"
    if step.axis == NEXT:
        return f"/following-sibling::*[1]{f'[self::{step.tag}]' if step.tag else ''}{tests}"
    return f"{_XPATH_AXES[step.axis]}{step.tag or '*'}{tests}"


def _xpath_test(test: Test, tag: str) -> str:
    if isinstance(test, AttributeTest):
        return _xpath_attribute(test)
    if isinstance(test, AtTest):
        return str(test.at) if test.at > 0 else _from_last(test.at)
    if isinstance(test, TextTest):
        return _xpath_text(test)
    if isinstance(test, NthTest):
        axis = "following-sibling" if test.from_end else "preceding-sibling"
        number = f"(count({axis}::{(tag or '*') if test.of_type else '*'}) + 1)"
        if not test.a:
            return f"{number} = {test.b}"
        limit = f"{number} >= {test.b}" if test.a > 0 else f"{number} <= {test.b}"
        return f"({number} - {test.b}) mod {abs(test.a)} = 0 and {limit}"
    if isinstance(test, NotTest):
        return f"not({' and '.join(f'({_xpath_test(one, tag)})' for one in test.tests)})"
    rows = (" and ".join(f"({_xpath_test(one, tag)})" for one in row) for row in test.rows)
    return " or ".join(f"({row})" for row in rows)


def _xpath_attribute(test: AttributeTest) -> str:
    name, value = f"@{test.name}", test.value
    if test.any_case and value.isascii():
        upper, lower = "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz"
        name, value = f"translate({name}, '{upper}', '{lower}')", value.lower()
    said = _xpath_string(value)
    spaced = f"concat(' ', normalize-space({name}), ' ')"
    if test.op == WORDS:
        words = list(dict.fromkeys(value.split()))
        all_in = [f"contains({spaced}, {_xpath_string(f' {word} ')})" for word in words]
        return " and ".join([*all_in, f"string-length(normalize-space({name})) = {len(' '.join(words))}"])
    return {
        HAS: name,
        IS: f"{name} = {said}",
        WORD: f"contains({spaced}, {_xpath_string(f' {value} ')})",
        BEGINS: f"starts-with({name}, {said})",
        ENDS: f"substring({name}, string-length({name}) - {len(value) - 1}) = {said}",
        HOLDS: f"contains({name}, {said})",
        DASH: f"{name} = {said} or starts-with({name}, {_xpath_string(value + '-')})",
    }[test.op]


def _xpath_text(test: TextTest) -> str:
    said = _xpath_string(test.value)
    call = {IS: "{0} = {1}", HOLDS: "contains({0}, {1})", BEGINS: "starts-with({0}, {1})"}[test.op]
    compared = call.format("normalize-space(.)", said)
    return f"text()[{compared}]" if test.own else compared


def _xpath_string(text: str) -> str:
    if '"' not in text:
        return f'"{text}"'
    if "'" not in text:
        return f"'{text}'"
    return "concat(" + ", '\"', ".join(f'"{part}"' for part in text.split('"')) + ")"


def to_regex(pattern: ElementPattern) -> str | None:
    """Write a pattern of one element as a regular expression whose group 1 is the value; None where that cannot be."""
    chain = pattern.chains[0]
    step = chain[-1]
    if len(chain) > 1 or len(pattern.chains) > 1 or not step.tag or pattern.place is not None:
        return None
    parts: list[str] = []
    for test in step.tests:
        if not isinstance(test, AttributeTest) or test.op not in (HAS, IS, WORD, WORDS):
            return None
        name = rf"(?=[^<>]*\s{re.escape(test.name)}"
        if test.op == HAS:
            parts.append(rf"{name}[\s=/>])")
        elif test.op == IS:
            parts.append(rf"{name}\s*=\s*[\"']?{_source_text(test.value)}[\"'\s>])")
        else:
            held = rf"{name}\s*=\s*(?:[\"'][^\"'<>]*)?(?<![\w-])"
            parts += [rf"{held}{_source_text(word)}(?![\w-]))" for word in test.value.split()]
    opening = rf"<{re.escape(step.tag)}(?=[\s/>]){''.join(parts)}"
    if pattern.attribute:
        return rf"{opening}[^<>]*?\s{re.escape(pattern.attribute)}\s*=\s*[\"']([^\"'<>]*)[\"']"
    if step.tag.encode() in VOID or pattern.own_text:
        return None
    return rf"{opening}[^<>]*>(.*?)</{re.escape(step.tag)}\s*>"


def _source_text(value: str) -> str:
    return re.escape(value).replace("\\&", "&(?:amp;)?")


def follow_regex(expression: str, page: PageMap) -> tuple[str, ...]:
    """Return what an expression finds in the source of a page, tags left out."""
    compiled = re.compile(expression, re.IGNORECASE | re.DOTALL)
    text = page.source.decode("utf-8", "replace")
    found = (re.sub(r"<[^<>]*>", " ", match) for match in compiled.findall(text))
    return tuple(filter(None, (" ".join(unescape(one).split()) for one in found)))


@dataclass(frozen=True, slots=True)
class _Shown:
    """What scythe gives for one field of one page."""

    page: PageMap
    values: tuple[str, ...]
    span: tuple[int, int] | None


def export_rules(profile: Profile, pages: Iterable[tuple[str | None, bytes]], form: str) -> list[ExportedRule]:
    """Write the rules of a profile in a form, CSS, XPATH or REGEX, each tried on pages. Raises BadInput for another."""
    if form not in (CSS, XPATH, REGEX):
        raise BadInput(f"rules are written as one of {', '.join(FORMS)}, not {form!r:.40}")
    shown: dict[tuple[str, str], list[_Shown]] = {}
    told = {row.field: row for row in profile.rules if row.is_told}
    extractor = Extractor(profile, [name for name in profile.fields if name not in ("images", "records")])
    maps: list[PageMap] = []
    for url, body in pages:
        got = extractor.extract_page(body, url, "cut")
        if got.page is None:
            continue
        maps.append(got.page.map)
        layout = got.layout.name if got.layout is not None else ""
        for name, field in got.document.fields.items():
            if field.values:
                where = "" if name in told and field.how.endswith(": rule") else layout
                shown.setdefault((where, name), []).append(_Shown(got.page.map, field.values, field.span))
    rows = {("", row.field): row for row in told.values()}
    rows |= {(row.layout, row.field): row for row in profile.rules if not row.is_told}
    return [_best(key, rows.get(key), shown.get(key, []), form) for key in dict.fromkeys((*rows, *shown))]


def _best(key: tuple[str, str], row: ElementRule | None, shown: Sequence[_Shown], form: str) -> ExportedRule:
    """Return the way to write a rule that gives most of the same values; of several, the shortest."""
    layout, field = key
    takes_all = row.takes_all if row is not None and row.is_told else any(len(one.values) > 1 for one in shown)
    empty = ExportedRule(field, layout, form, "", takes_all, len(shown))
    proposed = list(dict.fromkeys(_proposed(row, shown)))
    best, near = empty, 0.0
    for rule in proposed:
        for written in _written(rule, form):
            tried = ElementRule(field, rule if form == XPATH else f"css:{written}", repetition=takes_all)
            likeness = [_likeness(one, tried, written if form == REGEX else "") for one in shown]
            if not best.text or (sum(likeness), -len(written)) > (near, -len(best.text)):
                near = sum(likeness)
                best = replace(empty, text=written, same=likeness.count(1.0))
    if not best.text:
        return replace(best, note=f"cannot be written as {form}")
    if not shown:
        return replace(best, note="not tried: no page has it")
    if not best.same:
        return replace(best, note=f"gives the same on no page; {100 * near / len(shown):.0f} % of the words are")
    return best


def _written(rule: str, form: str) -> Iterator[str]:
    """Yield the ways to write a rule in a form."""
    compiled = compile_rule(rule)
    if compiled.pattern is None:
        ways: tuple[str | None, ...] = (compiled.text if form == CSS else None,)
    elif form == CSS:
        ways = (to_css(compiled.pattern), to_css(compiled.pattern, loosely=True))
    else:
        ways = (to_xpath(compiled.pattern) if form == XPATH else to_regex(compiled.pattern),)
    yield from dict.fromkeys(filter(None, ways))


def _likeness(one: _Shown, rule: ElementRule, expression: str) -> float:
    """Say how far a rule gives what scythe does: 1 the same, white space aside; below, the share of words in common."""
    if expression:
        tag = expression[: expression.find("(?=")].replace("\\", "").encode()
        if one.page.source.lower().count(tag) > _MOST_OPENINGS:
            return 0.0
        found = follow_regex(expression, one.page)
        found = found if rule.takes_all else found[:1]
    else:
        found = follow_rule(one.page, rule)[0].values
    if rule.field == "date":
        found = tuple(to_iso(value) or value for value in found)
    if ["".join(value.split()) for value in found] == ["".join(value.split()) for value in one.values]:
        return 1.0
    mine, theirs = (Counter(" ".join(values).split()) for values in (one.values, found))
    return 1.98 * (mine & theirs).total() / max(1, mine.total() + theirs.total())


def _proposed(row: ElementRule | None, shown: Sequence[_Shown]) -> Iterator[str]:
    """Yield ways to say where the elements of a field stand."""
    if row is not None:
        yield row.rule
        if row.is_told:
            return
    for one in shown[:_CANDIDATES_FROM]:
        if one.span is not None:
            yield from propose_rules_for(one.page, one.span)


def propose_rules_for(page: PageMap, span: tuple[int, int]) -> Iterator[str]:
    """Yield rules that people might write for an element, or what is inside its opening tag, on some bytes."""
    holding = ((page.start <= span[0]) & (page.end >= span[1])).nonzero()[0]
    if not len(holding):
        return
    row = int(holding[-1])
    own = list(_own_names(page, row))
    is_tag = span == (page.start[row], page.inner[row])
    takes = [f"::attr({name})" for name in page.element(row).attributes if name != "class"] if is_tag else [""]
    tag = page.tags[page.tag[row]]
    takes.sort(key=lambda take: take != f"::attr({VALUE_ATTRIBUTES.get(tag, 'datetime')})")
    chain = [f"{tag}:nth-of-type({_number(page, row)})"]
    holders: list[str] = []
    for above in islice(filter(None, around(page, row)), _ABOVE):
        names = list(_own_names(page, above))[:2]
        holders += [f"{name} {inner}" for name in names if name[0] == "#" or "." in name for inner in own[:2]]
        holders += [f"{name} > {' > '.join(chain)}" for name in names[:1]]
        chain.insert(0, f"{page.tags[page.tag[above]]}:nth-of-type({_number(page, above)})")
    for take in takes:
        yield from (f"css:{name}{take}" for name in (*own, *holders))
    if not is_tag:
        yield from _by_label(page, row, tag)


def _own_names(page: PageMap, row: int) -> Iterator[str]:
    """Yield selectors of an element by its own attributes, the surest first."""
    tag = page.tags[page.tag[row]]
    given = page.element(row).attributes
    if (own_id := given.get("id")) and re.fullmatch(r"[A-Za-z][\w-]*", own_id):
        yield f"{tag}#{own_id}"
    for name in ("itemprop", "property", "name", "rel"):
        if (value := given.get(name)) and '"' not in value and "\\" not in value:
            yield f'{tag}[{name}="{value}"]'
    words = [word for word in (given.get("class") or "").split() if re.fullmatch(r"-?[A-Za-z_][\w-]*", word)]
    yield from (
        f"{tag}.{'.'.join(words[:count])}" for count in dict.fromkeys((1, len(words))) if 0 < count <= len(words)
    )
    yield tag


def _number(page: PageMap, row: int) -> int:
    """Return the number of an element among the siblings of its tag."""
    before = slice(int(page.parent[row]) + 1, row + 1)
    return int(((page.parent[before] == page.parent[row]) & (page.tag[before] == page.tag[row])).sum())


def _by_label(page: PageMap, row: int, tag: str) -> Iterator[str]:
    """Yield XPaths that begin at the text in front of an element."""
    for run in range(int(page.run_from[row]) - 1, max(-1, int(page.run_from[row]) - 6), -1):
        text = " ".join(page.run_text(run).split())
        if not text or len(text) > _LABEL_CHARS or '"' in text:
            continue
        label = page.tags[page.tag[int(page.run_row[run])]]
        yield f'xpath://{label}[normalize-space(.)="{text}"]/following-sibling::{tag}[1]'
        yield f'xpath://{label}[normalize-space(.)="{text}"]/following::{tag}[1]'
        return


def write_code(rules: Sequence[ExportedRule], form: str, *, start: str = "https://example.org/") -> str:
    """Write a Python program for parsel or Scrapy with exported selectors, each with its share as a comment."""
    by_field: dict[str, list[ExportedRule]] = {}
    for rule in rules:
        if rule.text:
            by_field.setdefault(rule.field, []).append(rule)
    lines = ["FIELDS = {"]
    for field, own in by_field.items():
        lines.append(f"    {json.dumps(field, ensure_ascii=False)}: [")
        for rule in sorted(own, key=lambda each: -each.same):
            said = f"same as scythe on {rule.same} of {rule.pages} pages" + (f", {rule.layout}" if rule.layout else "")
            lines.append(f"        ({rule.form!r}, {rule.text!r}, {rule.takes_all}),  # {said}")
        lines.append("    ],")
    lines.append("}")
    head, tail = _PARSEL if form == PARSEL else _SCRAPY
    return "\n".join([head, *lines, tail.replace("START", json.dumps(start))])


_TAKE = '''
UNREAD = " or ".join(
    f"ancestor::{name}" for name in "audio canvas datalist iframe map noscript object script select style svg "
    "template textarea video".split()
)


def take(selector, rules):
    """Return what the first rule gives that gives anything."""
    for kind, text, takes_all in rules:
        found = [value_of(each) for each in getattr(selector, kind)(text)]
        found = [value for value in found if value]
        if found:
            return found if takes_all else found[0]
    return None


def value_of(selector):
    """Return the text of an element, or an attribute, with white space squeezed."""
    texts = selector.xpath(f".//text()[not({UNREAD})]").getall()
    is_element = hasattr(selector.root, "tag")
    return " ".join(("".join(texts) if is_element else selector.get()).split())
'''
_PARSEL = (
    '"""Fields of a page, with parsel."""\n\nfrom parsel import Selector\n',
    f'''{_TAKE}

def read(html):
    """Return the fields of a page."""
    selector = Selector(html)
    return {{name: take(selector, rules) for name, rules in FIELDS.items()}}
''',
)
_SCRAPY = (
    '''"""A spider that follows the links of one site and yields the fields of its pages."""

from urllib.parse import urlsplit

import scrapy
''',
    f"""{_TAKE}

class SiteSpider(scrapy.Spider):
    name = "site"
    start_urls = [START]

    def parse(self, response):
        item = {{name: take(response.selector, rules) for name, rules in FIELDS.items()}}
        if any(item.values()):
            yield {{"url": response.url, **item}}
        host = urlsplit(response.url).netloc
        for link in response.css("a[href]"):
            if urlsplit(response.urljoin(link.attrib["href"])).netloc == host:
                yield response.follow(link, self.parse)
""",
)


def opening_tag(page: bytes | str, element: str) -> str:
    """Return the opening tag that leads to an element, or to the innermost one around it whose tag no other has.

    Algorithm 4 of UzunExt. `element` is a part of the page: the HTML of the element or its beginning, or its text.
    Raises BadInput where the page does not hold it.
    """
    body = page.encode("utf-8", "replace") if isinstance(page, str) else page
    wanted = element.strip().encode("utf-8", "replace")
    mapped = map_page(body)
    at = mapped.source.find(wanted) if wanted else -1
    if at < 0:
        raise BadInput("the page does not hold this element: give a part of its source")
    end = at + len(wanted)
    holding = ((mapped.start <= at) & (mapped.end >= (at + 1 if wanted.startswith(b"<") else end))).nonzero()[0]
    row = int(holding[-1]) if len(holding) else 0
    seen: set[str] = set()
    while row > 0 and row != mapped.body:
        tag, given = mapped.tags[mapped.tag[row]], dict[str, str | None](mapped.element(row).attributes)
        written = write_tag(tag, given) if re.fullmatch(r"[a-z][\w:-]*", tag) else ""
        pattern = compile_rule(written).pattern if written and written not in seen else None
        if pattern is not None and len(follow_rule(mapped, ElementRule("", written, repetition=True))[0].rows) == 1:
            return written
        seen.add(written)  # further out it would be one of two
        row = int(mapped.parent[row])
    return "<body>"
