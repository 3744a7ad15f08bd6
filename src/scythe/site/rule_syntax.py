"""Read the rules that people write: opening tags, ids, CSS selectors and XPaths, compiled to patterns on the page map.

`<div class="p-price">`   an element with these attributes, in any order; `<a rel="next">@href` takes an attribute of it
`#price`                  the element with an id
`css:.p-price > b`        a CSS selector, also with `::text` and `::attr(name)`; `xpath://h1[1]`, or `//h1[1]`, an XPath

A CSS selector that cannot be answered from the map is left to the parser's tree; an XPath that cannot is refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from html import unescape
from typing import NoReturn, TypeVar

from scythe.errors import BadInput
from scythe.limits import LIMITS
from scythe.site.element_patterns import (
    AFTER,
    BEGINS,
    CHILD,
    FOLLOWING,
    HAS,
    HOLDS,
    INSIDE,
    IS,
    NEXT,
    PARENT,
    WORD,
    WORDS,
    AnyTest,
    AtTest,
    AttributeTest,
    ElementPattern,
    NotTest,
    NthTest,
    PatternStep,
    Test,
    TextTest,
)

TAG, ID, CSS, XPATH = "tag", "id", "css", "xpath"
FORMS = 'an opening tag such as <div class="price">, an id such as #price, css:SELECTOR or xpath:PATH'
VALUE_ATTRIBUTES = {"meta": "content", "img": "src", "link": "href", "input": "value", "source": "src", "area": "href"}
_DEEPEST = 5  # conditions inside conditions
_TESTS = 200
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class CompiledRule:
    """A rule as it is followed: by a pattern on the map or, without one, by a selector on the tree."""

    form: str  # TAG, ID, CSS, XPATH
    text: str  # without its prefix
    pattern: ElementPattern | None


@lru_cache(maxsize=4_096)
def compile_rule(rule: str) -> CompiledRule:
    """Compile a rule. Raises BadInput that says what was expected where."""
    rule = rule.strip()
    if not rule or len(rule) > LIMITS.rule_chars:
        raise BadInput(f"expected {FORMS}, of at most {LIMITS.rule_chars} characters")
    if rule.startswith("<"):
        return CompiledRule(TAG, rule, read_tag(rule))
    if rule.startswith("#"):
        return CompiledRule(
            ID, rule, ElementPattern(((PatternStep(INSIDE, "", (AttributeTest("id", IS, rule[1:]),)),),))
        )
    if rule.startswith("css:"):
        return _compile_css(rule[4:].strip())
    if rule.startswith(("xpath:", "/", "(")):
        text = rule.removeprefix("xpath:").strip()
        return CompiledRule(XPATH, text, _XPath(text).read())
    raise BadInput(f"{rule[:80]!r}: expected {FORMS}")


def _compile_css(text: str) -> CompiledRule:
    try:
        return CompiledRule(CSS, text, _Css(text).read())
    except _NotOnMap:
        from selectolax.lexbor import LexborHTMLParser, SelectolaxError  # whose import takes time, and few rules need

        try:
            LexborHTMLParser("<p>").css(text)
        except (SelectolaxError, ValueError) as error:
            raise BadInput(f"css:{text[:80]}: no selector: {error}") from None
        return CompiledRule(CSS, text, None)


_TAG_NAME = re.compile(r"<([A-Za-z][^\s/>]*)")
_TAG_ATTRIBUTE = re.compile(r"""\s*([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>`]+)))?""")


def read_tag(rule: str) -> ElementPattern:
    """Compile an opening tag: elements with its attributes, whatever their order and whatever others they have."""
    name = _TAG_NAME.match(rule)
    if name is None:
        raise BadInput(f"{rule[:80]!r}: expected a tag name behind <")
    tag, at = name[1].lower(), name.end()
    tests: list[Test] = []
    while (found := _TAG_ATTRIBUTE.match(rule, at)) is not None:
        given = next((value for value in found.groups()[1:] if value is not None), None)
        value = " ".join(unescape(given).split()) if given is not None else ""
        tests.append(
            AttributeTest(
                found[1].lower(), HAS if given is None else WORDS if found[1].lower() == "class" else IS, value
            )
        )
        at = found.end()
    end = re.compile(r"\s*/?\s*(?:>\s*(?:@([\w:.-]+))?)?").fullmatch(rule, at)
    if end is None:
        raise BadInput(f"{rule[:80]!r}: expected an attribute or > at {rule[at : at + 20]!r}")
    attribute = (end[1] or "").lower() or VALUE_ATTRIBUTES.get(tag, "")
    return ElementPattern(((PatternStep(INSIDE, tag, tuple(tests)),),), attribute=attribute)


class _NotOnMap(Exception):
    """A selector says something that the map does not answer."""


class _Scanner:
    """Reads a text piece by piece."""

    what = ""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.steps = 0
        self.tests = 0

    def take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Go behind a pattern if it stands here."""
        found = pattern.match(self.text, self.at)
        if found is not None:
            self.at = found.end()
        return found

    def skip(self, literal: str) -> bool:
        """Go behind a literal if it stands here, white space in front of it included."""
        rest = self.text[self.at :].lstrip()
        if not rest.startswith(literal):
            return False
        self.at = len(self.text) - len(rest) + len(literal)
        return True

    def refuse(self, expected: str) -> NoReturn:
        raise BadInput(f"{self.what}:{self.text[:80]}: expected {expected} at {self.text[self.at : self.at + 30]!r}")

    def need(self, found: T | None, expected: str) -> T:
        return found if found is not None else self.refuse(expected)

    def count(self, *, steps: int = 0, tests: int = 0) -> None:
        """Hold the limits."""
        self.steps += steps
        self.tests += tests
        if self.steps > LIMITS.rule_steps or self.tests > _TESTS:
            self.refuse(f"at most {LIMITS.rule_steps} steps and {_TESTS} conditions")


_NAME = r"(?:[\w\-\u0080-\U0010ffff]|\\[0-9A-Fa-f]{1,6}\s?|\\[^\n0-9A-Fa-f])+"
_CSS_NAME = re.compile(_NAME)
_CSS_ESCAPE = re.compile(r"\\(?:([0-9A-Fa-f]{1,6})\s?|(.))")
_CSS_COMBINATOR = re.compile(r"\s*([>+~])\s*|\s+(?![,)]|$)")
_CSS_ATTRIBUTE = re.compile(
    r"\[\s*(" + _NAME + r")\s*(?:([~|^$*]?=)\s*(?:\"([^\"]*)\"|'([^']*)'|(" + _NAME + r"))\s*([iIsS])?\s*)?\]"
)
_CSS_PSEUDO = re.compile(r":([a-z-]+)(\()?")
_CSS_NTH = re.compile(r"\s*(?:(odd|even)|([+-]?\d*)n\s*(?:([+-])\s*(\d+))?|([+-]?\d+))\s*\)", re.IGNORECASE)
_CSS_TAKE = re.compile(r"::(?:text|attr\(\s*([\w:.-]+)\s*\))\s*$")
# whose values have no letter case in selectors on HTML: https://html.spec.whatwg.org/#case-sensitivity-of-selectors
ANY_CASE = frozenset(
    "accept accept-charset align alink axis bgcolor charset checked clear codetype color compact declare defer dir "
    "direction disabled enctype face frame hreflang http-equiv lang language link media method multiple nohref "
    "noresize noshade nowrap readonly rel rev rules scope scrolling selected shape target text type valign valuetype "
    "vlink".split()
)
_AXES = {">": CHILD, "+": NEXT, "~": AFTER, None: INSIDE}
_NTH = {
    "nth-child": (False, False),
    "nth-of-type": (True, False),
    "nth-last-child": (False, True),
    "nth-last-of-type": (True, True),
}
_FIRSTS = {
    "first-child": (NthTest(0, 1),),
    "last-child": (NthTest(0, 1, from_end=True),),
    "only-child": (NthTest(0, 1), NthTest(0, 1, from_end=True)),
    "first-of-type": (NthTest(0, 1, of_type=True),),
    "last-of-type": (NthTest(0, 1, of_type=True, from_end=True),),
    "only-of-type": (NthTest(0, 1, of_type=True), NthTest(0, 1, of_type=True, from_end=True)),
}


def _plain_name(name: str) -> str:
    """Undo the escapes of CSS."""
    return _CSS_ESCAPE.sub(lambda found: chr(min(int(found[1], 16), 0x10FFFF)) if found[1] else found[2], name)


class _Css(_Scanner):
    """Compiles a group of selectors. Raises _NotOnMap where the map does not do."""

    what = "css"

    def read(self) -> ElementPattern:
        own_text, attribute = False, ""
        if (take := _CSS_TAKE.search(self.text)) is not None:
            self.text = self.text[: take.start()]
            own_text = take[1] is None and not self.text[-1:].isspace()  # `h1 ::text` is all text inside
            attribute = (take[1] or "").lower()
        self.text = self.text.strip()
        chains = [self._chain()]
        while self.skip(","):
            self.skip("")
            chains.append(self._chain())
        if self.at < len(self.text):
            raise _NotOnMap
        return ElementPattern(tuple(chains), attribute=attribute, own_text=own_text)

    def _chain(self) -> tuple[PatternStep, ...]:
        steps = [self._step(INSIDE)]
        while (found := self.take(_CSS_COMBINATOR)) is not None:
            steps.append(self._step(_AXES[found[1]]))
        return tuple(steps)

    def _step(self, axis: str) -> PatternStep:
        self.count(steps=1)
        begins = self.at
        tag = ""
        if not self.skip("*") and (name := self.take(_CSS_NAME)) is not None:
            tag = _plain_name(name[0]).lower()
        tests = self._tests(0)
        if self.at == begins:
            raise _NotOnMap
        return PatternStep(axis, tag, tests)

    def _tests(self, depth: int) -> tuple[Test, ...]:
        tests: list[Test] = []
        while self.at < len(self.text):
            sign = self.text[self.at]
            if sign in ".#":
                self.at += 1
                name = self.take(_CSS_NAME)
                if name is None:
                    raise _NotOnMap
                value = _plain_name(name[0])
                tests.append(AttributeTest("class", WORD, value) if sign == "." else AttributeTest("id", IS, value))
            elif sign == "[":
                tests.append(self._attribute())
            elif sign == ":":
                tests += self._pseudo(depth)
            else:
                break
        self.count(tests=len(tests))
        return tuple(tests)

    def _attribute(self) -> Test:
        found = self.take(_CSS_ATTRIBUTE)
        if found is None:
            raise _NotOnMap
        name = _plain_name(found[1]).lower()
        if found[2] is None:
            return AttributeTest(name)
        value = next((_plain_name(value) for value in found.groups()[2:5] if value is not None), "")
        return AttributeTest(name, found[2], value, any_case=name in ANY_CASE if found[6] is None else found[6] in "iI")

    def _pseudo(self, depth: int) -> tuple[Test, ...]:
        found = self.take(_CSS_PSEUDO)
        if found is None:
            raise _NotOnMap
        name, has_argument = found[1], bool(found[2])
        if name in _FIRSTS and not has_argument:
            return _FIRSTS[name]
        if name in _NTH and has_argument and (nth := self.take(_CSS_NTH)) is not None:
            return (_nth_test(nth, *_NTH[name]),)
        if name == "not" and has_argument and depth < _DEEPEST:
            self.skip("")
            if _CSS_NAME.match(self.text, self.at) is None and (tests := self._tests(depth + 1)) and self.skip(")"):
                return (NotTest(tests),)
        raise _NotOnMap


def _nth_test(found: re.Match[str], of_type: bool, from_end: bool) -> NthTest:
    if found[1]:
        return NthTest(2, 1 if found[1].lower() == "odd" else 0, of_type, from_end)
    if found[5]:
        return NthTest(0, int(found[5]), of_type, from_end)
    a = int(f"{found[2]}1") if found[2] in ("", "+", "-") else int(found[2])
    return NthTest(a, int(f"{found[3]}{found[4]}") if found[4] else 0, of_type, from_end)


_PATH_NAME = re.compile(r"\s*([A-Za-z_][\w.-]*)")
_PATH_STRING = re.compile(r"\s*(?:\"([^\"]*)\"|'([^']*)')")
_PATH_NUMBER = re.compile(r"\s*(\d{1,9})\s*(?=\])")
_PATH_PLACE = re.compile(r"\s*(?:position\(\)\s*=\s*(?:(\d{1,9})|last\(\))|last\(\)(?:\s*-\s*(\d{1,9}))?)\s*(?=\])")
_PATH_CLASS = re.compile(
    r"\s*contains\(\s*concat\(\s*(['\"]) \1\s*,\s*(?:normalize-space\(\s*@class\s*\)|@class)\s*,"
    r"\s*(['\"]) \2\s*\)\s*,\s*(['\"]) ([^'\"]*) \3\s*\)"
)
_PATH_CALL = re.compile(r"\s*(contains|starts-with|not)\s*\(")
_PATH_TEXT = re.compile(r"\s*(?:normalize-space\(\s*(?:\.|text\(\))?\s*\)|text\(\)|string\(\s*\.?\s*\)|\.(?![./]))")
_PATH_AXIS = re.compile(r"\s*(child|descendant|descendant-or-self|following-sibling|following|parent)\s*::")
_PATH_AXES = {
    "child": CHILD,
    "descendant": INSIDE,
    "following-sibling": AFTER,
    "following": FOLLOWING,
    "parent": PARENT,
}
_NONE = 1_000_000_000  # the number of an element that no page has
_UNDERSTOOD = (
    "a step such as div, *, @href, text(), .. or following-sibling::dd; conditions compare @name, text() or . by =, "
    "!=, contains() or starts-with(), count with [2], [last()] or position()=2, and are joined by and, or, not()"
)


class _XPath(_Scanner):
    """Compiles the part of XPath 1.0 that people write for pages. Raises BadInput that names what is not understood."""

    what = "xpath"

    def read(self) -> ElementPattern:
        place: int | None = None
        if self.skip("("):
            chains, taken = self._union()
            self.need(self.skip(")") or None, ")")
            if self.skip("["):
                place = self.need(self._number() or None, "a number from 1 on, or last()")
                self.need(self.skip("]") or None, "]")
            if self.skip("/"):
                taken = self._taken() or self.refuse("@name or text()")
        else:
            chains, taken = self._union()
        if self.text[self.at :].strip():
            self.refuse(_UNDERSTOOD)
        own_text = taken == "text()"
        return ElementPattern(tuple(chains), place, "" if own_text else taken, own_text)

    def _union(self) -> tuple[list[tuple[PatternStep, ...]], str]:
        chain, taken = self._path()
        chains = [chain]
        while self.skip("|"):
            chain, also = self._path()
            chains.append(chain)
            if also != taken:
                self.refuse("paths that take the same")
        return chains, taken

    def _path(self) -> tuple[tuple[PatternStep, ...], str]:
        self.skip(".")
        steps: list[PatternStep] = []
        taken = ""
        while True:
            axis = INSIDE if self.skip("//") else CHILD if self.skip("/") else ""
            if not axis:
                break
            if steps and (taken := self._taken()):
                break
            steps.append(self._step(axis))
        if not steps:
            self.refuse("/ or //")
        return tuple(steps), taken

    def _taken(self) -> str:
        """Read the last step where it is an attribute or the text."""
        if self.skip("@"):
            return self.need(self.take(_PATH_NAME), "the name of an attribute")[1].lower()
        return "text()" if self.skip("text()") else ""

    def _step(self, axis: str) -> PatternStep:
        self.count(steps=1)
        tag = ""
        named = self.take(_PATH_AXIS)
        if named is not None:
            if axis == INSIDE or named[1] not in _PATH_AXES:
                self.refuse(_UNDERSTOOD)
            axis = _PATH_AXES[named[1]]
        if self.skip(".."):
            axis = PARENT
        elif not self.skip("*"):
            name = self.need(self.take(_PATH_NAME), _UNDERSTOOD)[1].lower()
            if self.text[self.at : self.at + 1] in ("(", ":"):
                self.at -= len(name)
                self.refuse(_UNDERSTOOD)
            tag = name
        tests: list[Test] = []
        while self.skip("["):
            tests += self._predicate()
            self.need(self.skip("]") or None, _UNDERSTOOD)
        if axis == INSIDE and named is not None and any(isinstance(test, AtTest) for test in tests):
            self.refuse("no number with descendant::, which counts otherwise than // does;")
        return PatternStep(axis, tag, tuple(tests))

    def _predicate(self) -> tuple[Test, ...]:
        at = self._number()
        return (AtTest(at or _NONE),) if at is not None else self._any_of(0)

    def _number(self) -> int | None:
        """Read which of several is meant: from 1 on, or from -1, the last, backwards; None where no number stands."""
        if (number := self.take(_PATH_NUMBER)) is not None:
            return int(number[1])
        found = self.take(_PATH_PLACE)
        return None if found is None else int(found[1]) if found[1] else -1 - int(found[2] or 0)

    def _any_of(self, depth: int) -> tuple[Test, ...]:
        if depth > _DEEPEST:
            self.refuse(f"conditions at most {_DEEPEST} deep")
        rows = [self._all_of(depth)]
        while self._word("or"):
            rows.append(self._all_of(depth))
        return rows[0] if len(rows) == 1 else (AnyTest(tuple(rows)),)

    def _all_of(self, depth: int) -> tuple[Test, ...]:
        tests = [*self._test(depth)]
        while self._word("and"):
            tests += self._test(depth)
        return tuple(tests)

    def _word(self, word: str) -> bool:
        return self.take(re.compile(rf"\s+{word}\b|(?<=[)\]'\"])\s*{word}\b")) is not None

    def _test(self, depth: int) -> tuple[Test, ...]:
        self.count(tests=1)
        if (found := self.take(_PATH_CLASS)) is not None:
            return (AttributeTest("class", WORD, found[4].strip()),)
        call = self.take(_PATH_CALL)
        if call is not None and call[1] == "not":
            tests = self._any_of(depth + 1)
            self.need(self.skip(")") or None, ")")
            return (NotTest(tests),)
        if call is not None:
            make = self._operand()
            self.need(self.skip(",") or None, ",")
            test = make(HOLDS if call[1] == "contains" else BEGINS, self._string())
            self.need(self.skip(")") or None, ")")
            return (test,)
        if self.skip("("):
            tests = self._any_of(depth + 1)
            self.need(self.skip(")") or None, ")")
            return tests
        begins = self.at
        make = self._operand()
        if self.skip("!="):
            return (make(HAS, ""), NotTest((make(IS, self._string()),)))
        if self.skip("="):
            return (make(IS, self._string()),)
        if not self.text[begins:].lstrip().startswith("@"):
            self.at = begins
            self.refuse(_UNDERSTOOD)
        return (make(HAS, ""),)

    def _operand(self) -> Callable[[str, str], Test]:
        is_squeezed = self.skip("normalize-space(@")
        if is_squeezed or self.skip("@"):
            name = self.need(self.take(_PATH_NAME), "the name of an attribute")[1].lower()
            if is_squeezed:
                self.need(self.skip(")") or None, ")")
            return lambda op, value: AttributeTest(name, op, value)
        said = self.need(self.take(_PATH_TEXT), _UNDERSTOOD)[0]
        own = "text()" in said
        return lambda op, value: TextTest(op if op != HAS else HOLDS, " ".join(value.split()), own)

    def _string(self) -> str:
        found = self.need(self.take(_PATH_STRING), "a text in quotes")
        return found[1] if found[1] is not None else found[2]
