"""Formulas come out as TeX, code as it is shown: in Markdown and HTML, whatever shows them on the page."""

from __future__ import annotations

import pytest

import scythe
from scythe.page import Page
from scythe.page.content import PageContent
from scythe.page.whole_choice import complete_choice

_TEX = r"x=\frac{a}{b}"
_MATHML = "<mrow><mi>x</mi><mo>=</mo><mfrac><mi>a</mi><mi>b</mi></mfrac></mrow>"
_MATH = f'<math><semantics>{_MATHML}<annotation encoding="application/x-tex">{_TEX}</annotation></semantics></math>'


def content_of(html: str) -> PageContent:
    page = Page.from_text(html, url="https://example.org/d/")
    return PageContent(page, tuple(range(len(page.blocks))))


def markdown_of(html: str) -> str:
    return content_of(html).markdown()


@pytest.mark.parametrize(
    "shown",
    [
        _MATH,
        f'<math alttext="{_TEX}">{_MATHML}</math>',
        f'<span class="katex"><span class="katex-mathml">{_MATH}</span><span class="katex-html">x=ab</span></span>',
        f'<span class="math-inline" data-math="{_TEX}"><span class="katex"><span>x=ab</span></span></span>',
        f'<span class="MathJax_Preview">x=a/b</span><script type="math/tex">{_TEX}</script>',
        f'<script type="math/tex">{_TEX}</script>',
        f'<mjx-container class="MathJax">{_MATH}</mjx-container>',
        f'<img class="latex" src="1.png" alt="{_TEX}">',
        f'<img src="/latex.php?latex={_TEX}">',
        f'<span class="mwe-math-element"><span class="katex-mathml">{_MATH}</span><img src=i.svg alt="{_TEX}"></span>',
        rf"\({_TEX}\)",
    ],
)
def test_a_formula_is_written_once_as_the_tex_it_was_made_of(shown: str) -> None:
    content = content_of(f"<p>Let {shown} hold.</p>")
    assert content.markdown() == rf"Let ${_TEX}$ hold."
    assert content.html() == rf"<p>Let \({_TEX}\) hold.</p>"


def test_a_formula_on_lines_of_its_own_stays_there() -> None:
    html = f'<p>Then</p><div><math display="block">{_MATHML}</math></div><p>and $$a_1$$ too.</p>'
    assert markdown_of(html) == "Then\n\n$$\nx = \\frac{a}{b}\n$$\n\nand\n\n$$\na_1\n$$\n\ntoo."


def test_a_formula_without_words_stands_between_the_paragraphs_around_it() -> None:
    html = '<p>Before.</p><div><script type="math/tex; mode=display">E=mc^2</script></div><p>After.</p>'
    assert markdown_of(html) == "Before.\n\n$$\nE=mc^2\n$$\n\nAfter."


@pytest.mark.parametrize(
    ("mathml", "tex"),
    [
        ("<msup><mi>x</mi><mn>2</mn></msup><mo>−</mo><msqrt><mi>π</mi></msqrt>", r"x^{2} - \sqrt{\pi}"),
        ("<msubsup><mi>a</mi><mi>i</mi><mn>2</mn></msubsup><mo>≤</mo><mi>sin</mi>", r"a_{i}^{2} \leq \sin"),
        ("<munderover><mo>∑</mo><mn>0</mn><mi>n</mi></munderover><mi>k</mi>", r"\sum_{0}^{n} k"),
        ("<mover><mi>v</mi><mo>→</mo></mover><mroot><mi>x</mi><mn>3</mn></mroot>", r"\vec{v} \sqrt[3]{x}"),
        ("<mi>f</mi><mo>(</mo><mi>x</mi><mo>)</mo><mtext>if so</mtext>", r"f \left( x \right) \text{if so}"),
        ("<mfenced><mi>a</mi><mi>b</mi></mfenced><mi mathvariant='bold'>B</mi>", r"\left( a , b \right) \mathbf{B}"),
        (
            "<mo>(</mo><mtable><mtr><mtd>1</mtd><mtd>2</mtd></mtr><mtr><mtd><mn>3</mn></mtd></mtr></mtable><mo>)</mo>",
            r"\begin{pmatrix} & \\ 3\end{pmatrix}",
        ),
    ],
)
def test_mathml_without_its_source_is_written_as_tex(mathml: str, tex: str) -> None:
    assert markdown_of(f"<p><math>{mathml}</math></p>") == f"${tex}$"


def test_what_mathjax_drew_from_letters_in_classes_is_read() -> None:
    html = (
        "<p>so <mjx-container><mjx-math><mjx-msubsup><mjx-mi><mjx-c class='mjx-c1D70E'></mjx-c></mjx-mi><mjx-script>"
        "<mjx-mn><mjx-c class='mjx-c32'></mjx-c></mjx-mn><mjx-spacer></mjx-spacer><mjx-mi>"
        "<mjx-c class='mjx-c69'></mjx-c></mjx-mi></mjx-script></mjx-msubsup></mjx-math></mjx-container> is</p>"
    )
    assert markdown_of(html) == r"so $\sigma_{i}^{2}$ is"


def test_prices_are_no_formulas() -> None:
    assert markdown_of("<p>It costs $5 here and $6 there, a_b.</p><script>MathJax</script>").startswith("It costs $5 h")


def test_dollars_hold_formulas_where_the_page_sets_them_so() -> None:
    script = "<script>MathJax = {tex: {inlineMath: [['$', '$']]}};</script>"
    assert markdown_of(f"{script}<p>Let $a$ and $b_1$ be.</p>") == "Let $a$ and $b_1$ be."
    assert markdown_of(f"{script}<p>$$\\begingroup$$ Is *a* $a*b$?</p>") == "Is \\*a\\* $a*b$?"


@pytest.mark.parametrize(
    ("html", "code"),
    [
        ("<pre>if a:<br>    b<br><br>c</pre>", "if a:\n    b\n\nc"),
        ("<pre><div>if a:</div><div>    <b>b</b></div><div>\n</div><div>c</div></pre>", "if a:\n    b\n\nc"),
        ("<pre><code><span class=line>if a:</span><span class=line>    b</span></code></pre>", "if a:\n    b"),
        ("<pre><span class=lineno>1</span>a\n<span class=lineno>2</span>b</pre>", "a\nb"),
        ("<pre><i>1</i><b>a</b>\n<i>2</i>\n<i>3</i><b>c</b></pre>", "a\n\nc"),
        ("<pre><div><i>1</i><div>a</div></div><div><i>2</i></div><div><i>3</i><div>c</div></div></pre>", "a\n\nc"),
        ("<pre>1 a\n2 b\n3 c</pre>", "1 a\n2 b\n3 c"),
        ("<p><code>a<br>&nbsp; b</code></p>", "a\n  b"),
        ("<div><div><code>if</code> <code>a:</code></div><div><code>&nbsp; b</code></div></div>", "if a:\n  b"),
        ("<p>x</p><code class='lean block'> def a </code><p>y</p>", "def a"),
        (
            "<table><tr><td class=gutter><pre>1\n2</pre></td><td class=code><pre>a\n  b</pre></td></tr></table>",
            "a\n  b",
        ),
    ],
)
def test_code_is_written_as_it_is_shown(html: str, code: str) -> None:
    assert f"```\n{code}\n```" in markdown_of(html)


@pytest.mark.parametrize(
    "html",
    [
        "<pre><code class='language-python'>a</code></pre>",
        "<pre class='brush: python; gutter: true'>a</pre>",
        "<pre data-lang=python>a</pre>",
        "<div class='highlight-python notranslate'><div class=highlight><pre>a</pre></div></div>",
        "<div class='language-python highlighter-rouge'><div class=highlight><pre><code>a</code></pre></div></div>",
        "<div class='sourceCode'><pre class='sourceCode python'>a</pre></div>",
        "<pre><code class='hljs python'>a</code></pre>",
        "<div data-lang=python>a</div>",
    ],
)
def test_the_language_of_code_is_the_one_its_highlighter_notes(html: str) -> None:
    assert markdown_of(f"<p>x</p>{html.replace('a<', 'a()' + chr(10) + 'b()<')}") == "x\n\n```python\na()\nb()\n```"


def test_code_is_kept_whole_once_a_part_of_it_is() -> None:
    words = "The reapers walked down to the field before the sun was up, and they cut the barley low all morning long. "
    lines = "<br>".join(
        f"cut(row={number}, low=True, then='bind the sheaf and set it up to dry')" for number in range(9)
    )
    page = f"<article><h1>Rows</h1><p>{words * 5}</p><pre>{lines}<br>}}</pre><p>{words * 5}</p></article>"
    assert scythe.read(page).markdown.count("cut(row=") == 9
    assert scythe.read(page).markdown.count("\n}\n") == 1


_TABLE = "<table><tr><th>Field<th>Yield<tr><td>Upper<td>2 t<tr><td>Lower<td>3 t</table>"


@pytest.mark.parametrize(
    ("chosen", "score"),
    [
        ((0, 1, 8, 9), 0.1),  # the text goes on after it
        ((0, 1), 0.3),  # its words are likely
        ((0, 2, 3, 4, 5, 6), 0.1),  # most of it was chosen
    ],
)
def test_a_table_inside_the_text_is_kept_as_a_whole(chosen: tuple[int, ...], score: float) -> None:
    page = Page.from_text(f"<div><p>One.<p>Two.{_TABLE}<p>Three.<p>Four.</div>")
    assert complete_choice(page, chosen, [score] * 10) == tuple(sorted({*chosen, *range(2, 8)}))
    assert complete_choice(page, (0, 9), [score] * 10) == (0, 9)


def test_code_without_a_pre_is_kept_as_a_whole_inside_the_text() -> None:
    page = Page.from_text("<div><p>One.<p>Two.<figure><div><code>a = 1<br>b = 2</code></div></figure><p>Three.<p>Four.")
    assert complete_choice(page, (0, 1, 4, 5)) == (0, 1, 2, 3, 4, 5)
