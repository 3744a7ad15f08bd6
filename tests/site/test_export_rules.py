import re
from dataclasses import replace

import pytest
from parsel import Selector

import scythe
from scythe.errors import BadInput
from scythe.page.map import PageMap
from scythe.site.element_patterns import find_elements
from scythe.site.export_rules import (
    CSS,
    PARSEL,
    REGEX,
    SCRAPY,
    XPATH,
    export_rules,
    to_css,
    to_regex,
    to_xpath,
    write_code,
)
from scythe.site.rule_syntax import compile_rule
from scythe.site.site import Site

PAGE = b"""<!doctype html><html><head><title>x</title></head><body><div id="main" class="wide  box"><h1>Rake "A"</h1>
<p class="price big">9</p><p data-x='1' class=price lang=en>8</p><dl>
<dt>Weight</dt><dd>2 kg</dd><dt>Price</dt><dd>7</dd></dl></div>
<ul><li>1</li><li class="on">2</li><li>3</li></ul><a href="/b" rel="next">on</a></body></html>"""


def shop(number: int) -> tuple[str, bytes]:
    page = f"""<html><head><title>Tool {number} | Shop</title><meta property="og:title" content="Tool {number}">
</head><body><div class="item"><h1>Tool {number}</h1><b class="price">$ {number}.50</b><dl>
<dt>Made of</dt><dd>ash {number}</dd>
<dt>Weight</dt><dd>{number} kg</dd></dl><ul><li>oak</li><li>elm</li></ul></div></body></html>"""
    return f"https://shop.example/{number}", page.encode()


PAGES = [shop(number) for number in range(8)]


@pytest.fixture(scope="module")
def profile() -> scythe.Site:
    examples = [{"weight": f"{number} kg"} for number in range(3)] + [None] * 5
    return Site.learn(PAGES, examples, rules={"price": "<b class=price>", "wood": "css:ul > li"}, fields=["title"])


@pytest.mark.parametrize(
    "rule",
    (
        "<p class='big price'>¦<p data-x>¦<a href='/b'>@rel¦#main¦css:p.price:not([data-x])"
        "¦css:li:nth-child(2n+1)¦css:li:nth-last-of-type(-n+2)¦css:dt + dd, h1 ~ p¦css:p[lang|=en]"
        "¦css:p[class^=pri][class$=big]¦css:li::text¦//dt[.='Price']/following-sibling::dd[1]"
        "¦//dt[contains(., 'igh')]/following::dd[1]¦(//li)[last()]¦//li[2] | //h1"
        "¦//li[@class='on']/../li[last()]¦//h1[text()='Rake \"A\"']¦//p[not(@data-x) or @lang='x']"
    ).split("¦"),
)
def test_what_is_written_gives_the_same_elements_elsewhere(rule: str) -> None:
    pattern = compile_rule(rule).pattern
    assert pattern is not None
    page = PageMap(PAGE)
    plain = replace(pattern, attribute="", own_text=False)
    found = [page.element(row).text() for row in find_elements(page, plain)]
    assert found
    selector = Selector(PAGE.decode())
    assert [each.xpath("string()").get() for each in selector.xpath(to_xpath(plain))] == found
    css = to_css(plain, loosely=True)
    if css is not None:
        assert [each.xpath("string()").get() for each in selector.css(css)] == found
    assert (css is None) == rule.startswith(("//dt", "(", "//li[@class", "//h1[text", "//p[not"))


def test_rules_come_with_the_share_of_pages_on_which_they_agree(profile: Site) -> None:
    for form in (CSS, XPATH):
        rules = {rule.field: rule for rule in export_rules(replace(profile.profile, rules=profile.rules), PAGES, form)}
        assert set(rules) == {"price", "wood", "weight", "title"}
        assert {name: (rule.same, rule.pages) for name, rule in rules.items()} == dict.fromkeys(rules, (8, 8))
        assert rules["wood"].takes_all
        assert rules["price"].share == 1.0


def test_an_expression_finds_the_same_in_the_source(profile: Site) -> None:
    rules = {rule.field: rule for rule in export_rules(profile.profile, PAGES, REGEX)}
    assert rules["price"].same == 8
    assert re.search(rules["price"].text, PAGES[3][1].decode()).group(1) == "$ 3.50"  # type: ignore[union-attr]
    assert rules["wood"].note == "cannot be written as regex"
    meta = to_regex(compile_rule("<meta property='og:title'>").pattern)  # type: ignore[arg-type]
    assert re.findall(meta or "", PAGES[3][1].decode()) == ["Tool 3"]


def test_without_pages_rules_are_written_untried(profile: Site) -> None:
    rules = export_rules(profile.profile, [], CSS)
    assert [(rule.text, rule.note) for rule in rules] == [
        ("b.price", "not tried: no page has it"),
        ("ul > li", "not tried: no page has it"),
    ]


def test_another_form_is_refused(profile: Site) -> None:
    with pytest.raises(BadInput, match="one of css, xpath, regex"):
        export_rules(profile.profile, [], "jsonpath")


def test_the_program_for_parsel_reads_what_scythe_reads(profile: Site) -> None:
    code = write_code(export_rules(profile.profile, PAGES, XPATH), PARSEL)
    made: dict[str, object] = {}
    exec(code, made)
    for url, body in PAGES:
        fields = profile.extract(body, url).fields
        wanted = {name: list(field.values) if name == "wood" else field.values[0] for name, field in fields.items()}
        assert made["read"](body.decode()) == wanted  # type: ignore[operator]


def test_the_spider_yields_what_scythe_reads(profile: Site) -> None:
    scrapy = pytest.importorskip("scrapy")
    made: dict[str, object] = {}
    exec(write_code(export_rules(profile.profile, PAGES, CSS), SCRAPY, start=PAGES[0][0]), made)
    spider = made["SiteSpider"]()  # type: ignore[operator]
    assert spider.start_urls == [PAGES[0][0]]
    url, body = PAGES[3]
    body = body.replace(b"</body>", b'<a href="/4">4</a><a href="https://other.example/">x</a></body>')
    first, *followed = spider.parse(scrapy.http.HtmlResponse(url, body=body, encoding="utf-8"))
    assert first == {"url": url, "price": "$ 3.50", "wood": ["oak", "elm"], "weight": "3 kg", "title": "Tool 3"}
    assert [request.url for request in followed] == ["https://shop.example/4"]


@pytest.mark.parametrize(
    ("element", "expected"),
    [
        ('<b class="price">', '<b class="price">'),
        ("$ 3.50", '<b class="price">'),
        ("<dd>ash 3</dd>", "<dl>"),  # a tag that others have: the one around it
        ("3 kg", "<dl>"),
        ("oak", "<ul>"),
        ("Tool 3 | Shop", "<title>"),
    ],
)
def test_the_opening_tag_of_an_element_is_the_innermost_unique_one(element: str, expected: str) -> None:
    assert scythe.opening_tag(shop(3)[1], element) == expected
    assert scythe.opening_tag(shop(3)[1].decode(), element) == expected


def test_an_element_that_is_not_there_has_no_opening_tag() -> None:
    with pytest.raises(BadInput, match="does not hold this element"):
        scythe.opening_tag(b"<p>a</p>", "b")
    assert scythe.opening_tag(b"<p>a</p><p>b</p>", "b") == "<body>"
