import random
import re

import pytest

from scythe.demo import site as demo_site
from scythe.errors import BadInput
from scythe.page.map import PageMap
from scythe.page.tree_map import TreeMap
from scythe.site.element_patterns import find_elements
from scythe.site.element_rules import ElementRule, follow_rule
from scythe.site.rule_syntax import compile_rule

PAGE = b"""<!doctype html><html><head><meta property="og:title" content="A &amp; B"><title>x</title></head><body>
<div id="main" class="wide  box"><h1>Rake</h1><p class="price big">9</p><p data-x='1' class=price>8</p>
<dl><dt>Weight</dt><dd>2 kg</dd><dt>Price:</dt><dd>7</dd></dl><a href="/a?b=1&amp;c=2" rel=next>on <b>and</b> on</a>
</div><ul><li>1</li><li class="on">2</li><li>3<ul><li>4</li></ul></li></ul></body></html>"""
STEPS = (">", " ", "+", "~")
CONDITIONS = ":first-child :last-child :nth-child(2) :nth-of-type(2n+1) :not(.x) :only-of-type [class]".split()


def values(rule: str, page: bytes = PAGE) -> tuple[str, ...]:
    return follow_rule(PageMap(page), ElementRule("x", rule, repetition=True))[0].values


def css_around(page: PageMap, row: int, draw: random.Random) -> str:
    """Write a selector that means an element of a page, through some of those around and before it."""
    parts = [one_step(page, row, draw)]
    while page.parent[row] > 0 and draw.random() < 0.6:
        before = [each for each in range(int(page.parent[row]) + 1, row) if page.parent[each] == page.parent[row]]
        sign = draw.choice(STEPS if before else STEPS[:2])
        row = int(page.parent[row]) if sign in "> " else before[-1] if sign == "+" else draw.choice(before)
        parts += [sign, one_step(page, row, draw)]
    return "".join(reversed(parts))


def one_step(page: PageMap, row: int, draw: random.Random) -> str:
    node = page.element(row)
    words = (node.attributes.get("class") or "").split()
    choices = [node.tag, node.tag + draw.choice(CONDITIONS) if row else "html"]
    choices += [f"{node.tag}.{word}" for word in words] + (
        [f"#{node.attributes['id']}"] if "id" in node.attributes else []
    )
    for name, value in node.attributes.items():
        if value and re.fullmatch(r"[\w-]+", name) and '"' not in value and "\\" not in value:
            choices.append(f'{node.tag}[{name}{draw.choice(("", "*", "^", "$", "~", "|"))}="{value}"]')
    return draw.choice(choices)


def test_selectors_mean_what_they_mean_to_the_parser() -> None:
    draw = random.Random(5)
    pages = [page.html for page in demo_site(pages=40)][::4]
    for source in pages:
        page, tree = PageMap(source), TreeMap.parse(source)
        for _ in range(60):
            css = css_around(page, draw.randrange(len(page)), draw)
            pattern = compile_rule(f"css:{css}").pattern
            assert pattern is not None, css
            assert find_elements(page, pattern) == sorted(tree.numbers[node.mem_id] for node in tree.tree.css(css)), css


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("<p class='price'>", ("8",)),
        ('<p class="big price">', ("9",)),  # words in any order
        ("<p data-x class=price>", ("8",)),
        ("<p class=price data-x=1>", ("8",)),
        ("<DIV CLASS='box wide'>@id", ("main",)),
        ('<meta property="og:title">', ("A & B",)),
        ('<a href="/a?b=1&amp;c=2">', ("on and on",)),
        ("<p>", ("9", "8")),
        ("#main", ("Rake 9 8 Weight 2 kg Price: 7 on and on",)),
        ("css:#main > .price", ("9", "8")),
        ("css:h1, p.price::attr(data-x)", ("1",)),
        ("css:a::text", ("on on",)),
        ("css:a ::text", ("on and on",)),
        ("css:li:nth-child(2n+1)", ("1", "3 4", "4")),
        ("css:ul > li:not(.on):not(:last-child)", ("1",)),
        ("css:body:has(h1) h1", ("Rake",)),  # followed on the tree
        ("//h1", ("Rake",)),
        ("/html/body/div/p[2]", ("8",)),
        ("xpath://p[contains(@class, 'price')][last()]", ("8",)),
        ("//p[contains(concat(' ', normalize-space(@class), ' '), ' big ')]/text()", ("9",)),
        ("//dt[normalize-space()='Price:']/following-sibling::dd[1]", ("7",)),
        ("//dt[starts-with(., 'Wei')]/following-sibling::*[1]", ("2 kg",)),
        ("//dd[2]", ("7",)),
        ("(//li)[last()]", ("4",)),
        ("(//li)[2]/text()", ("2",)),
        ("//li[not(@class) and not(../x)]", ()),
        ("//li[position()=2 or @class='on']", ()),
        ("//li[@class='on']/../li[1]", ("1",)),
        ("//h1 | //li[@class!='off']", ("Rake", "2")),
        ("//meta[@property='og:title']/@content", ("A & B",)),
        ("//b[text()='and']/..", ("on and on",)),
        ("//p[.='9' or .='8'][@data-x]", ("8",)),
    ],
)
def test_rules_give_what_they_say(rule: str, expected: tuple[str, ...]) -> None:
    if not expected:
        with pytest.raises(BadInput, match="expected"):
            compile_rule(rule)
        return
    assert values(rule) == expected


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("", "expected an opening tag"),
        ("p.price", "expected an opening tag"),
        ("<", "expected a tag name"),
        ("<p class='x>", "expected an attribute or >"),
        ("css:p[", "no selector"),
        ("xpath://p[count(b)=2]", r"not\(\) at 'count\(b\)=2\]'"),
        ("xpath://p/ancestor::div", "expected a step"),
        ("xpath://p[@class='x'", "expected"),
        ("xpath:p", "expected / or //"),
        ("//p[" + "not(" * 9 + "@x" + ")" * 9 + "]", "deep"),
        ("css:" + "p " * 60, "at most 50 steps"),
        ("#" + "x" * 3_000, "at most 2000"),
    ],
)
def test_a_rule_that_is_not_understood_says_what_was_expected(rule: str, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        compile_rule(rule)


def test_work_on_a_hostile_page_is_bounded() -> None:
    deep = PageMap(b"<div class=a>" * 250 + b"x" * 300_000)
    wide = PageMap(b"<ul>" + b"<li class=a>x" * 20_000 + b"</ul>")
    asked = ElementRule("x", "//div[contains(., 'y')]", repetition=True)
    assert follow_rule(deep, asked)[0].why == "too much text to compare on this page"
    steep = ElementRule("x", "//li/following-sibling::li[2]/following-sibling::li[2]", repetition=True)
    assert "too many elements" in follow_rule(wide, steep)[0].why
