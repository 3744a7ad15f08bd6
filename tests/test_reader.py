"""`scythe.read`: any input gives a Document that says what it found, how, and why not."""

import copy
import dataclasses
import json
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

import scythe
from scythe import BadInput, Document, Page, TextOptions
from scythe.limits import LIMITS
from scythe.model import Reading
from scythe.reader import _document

SENTENCES = (
    "Reapers walked the field before dawn. They cut the barley low. They bound it. It stood to dry. Then rain came."
)
ARTICLE = f"""<!DOCTYPE html><html lang=en><head><title>The harvest | Field News</title>
<meta property="og:image" content="https://example.org/lead.jpg"></head>
<body><nav><a href=/>Home</a></nav>
<div id=story><h1>The harvest</h1><p>{SENTENCES}</p>
<figure><img src=/barley.jpg alt=Barley width=640 height=480><figcaption>Barley in June</figcaption></figure>
<p>{SENTENCES} <a href=/more>More</a>.</p>
<table><tr><th>Crop<th>Yield<tr><td>rye<td>3 t<tr><td>oats<td>2 t</table>
<p>{SENTENCES}</p></div>
<div class=comments><p>Nice field, said a reader.</p></div>
<footer>Imprint</footer></body></html>"""
URL = "https://example.org/2026/harvest"


def read(html: str | bytes | Page = ARTICLE, **options: bool | None) -> Document:
    return scythe.read(html, URL, method="sentences", options=TextOptions(**options))  # type: ignore[arg-type]


def test_an_article_gives_title_text_markdown_and_html() -> None:
    doc = read()
    assert doc.title == "The harvest"
    assert doc.text.startswith(f"The harvest\n\n{SENTENCES}\n\nBarley in June")
    assert "# The harvest" in doc.markdown
    assert "| rye | 3 t |" in doc.markdown
    assert "[More](https://example.org/more)" in doc.markdown
    assert "<h1>The harvest</h1>" in doc.html
    assert doc.url == URL
    assert doc.metadata.language == "en"
    assert doc.why == ""


def test_how_names_the_method_of_every_part() -> None:
    doc = read()
    assert doc.how["text"].startswith("sentences: ")
    assert doc.how["text"].endswith(" blocks")
    assert doc.how["records"] == doc.how["attributes"] == "auto: by the tree, when asked for"
    assert set(doc.how) == {"title", "text", "images", "records", "attributes"}


def test_text_bytes_and_page_are_read_alike() -> None:
    assert read(ARTICLE) == read(ARTICLE.encode()) == read(Page.from_text(ARTICLE, url=URL))


def test_reading_twice_gives_the_same() -> None:
    assert read().to_dict() == read().to_dict()


def test_images_next_to_the_text_are_relevant() -> None:
    images = {image.src: image for image in read().images}
    barley = images["https://example.org/barley.jpg"]
    assert barley.relevant
    assert 0.5 <= barley.score <= 1.0
    assert (barley.alt, barley.caption, barley.width, barley.height) == ("Barley", "Barley in June", 640, 480)


def test_images_away_from_the_text_are_listed_but_not_relevant() -> None:
    doc = read(ARTICLE.replace("<footer>", "<footer><img src=/badge.png>"))
    badge = next(image for image in doc.images if image.src.endswith("badge.png"))
    assert not badge.relevant
    assert badge.score == 0.0


@pytest.mark.parametrize(
    ("option", "words"), [("captions", "Barley in June"), ("tables", "oats\t2 t"), ("title_line", "The harvest\n")]
)
def test_an_option_false_drops_and_true_keeps(option: str, words: str) -> None:
    assert words in read(**{option: True}).text
    assert words not in read(**{option: False}).text
    assert SENTENCES in read(**{option: False}).text


def test_a_caption_at_the_end_of_the_content_can_be_asked_for() -> None:
    html = (
        f"<main><article><p>{SENTENCES}</p><figure><img src=a.png><figcaption>The cart</figcaption></figure></article>"
    )
    page = Page.from_text(html + "<aside><figure><figcaption>A teaser</figcaption></figure></aside></main>")
    options = TextOptions(captions=True)
    assert _document(page, Reading("chosen", kept=(0,)), options).text == f"{SENTENCES}\n\nThe cart"


def test_options_that_leave_nothing_are_named_as_the_reason() -> None:
    rows = "<tr><td>They cut. They bound. They slept. They rose. They ate.<td>x" * 3
    doc = read(f"<div><table>{rows}</table></div>", tables=False)
    assert (doc.text, doc.why) == ("", "the options leave nothing of the text")


def test_comments_are_kept_when_asked_for() -> None:
    assert "Nice field" not in read(comments=False).text
    assert "Nice field" in read(comments=True).text


def test_hidden_blocks_are_not_brought_back_by_an_option() -> None:
    html = ARTICLE.replace("<footer>", "<div class=comments hidden><p>Waiting for approval.</p></div><footer>")
    assert "Waiting" not in read(html, comments=True).text


def test_a_title_that_stands_in_no_block_becomes_the_first_line() -> None:
    html = f"<title>Rye | Farm</title><meta property=og:title content='A year of rye'><div><p>{SENTENCES}</p></div>"
    assert read(html, title_line=True).text == f"A year of rye\n\n{SENTENCES}"
    assert read(html).text == SENTENCES


def test_links_and_images_can_be_left_out_of_markdown() -> None:
    doc = read(links=False, images=False)
    assert "](" not in doc.markdown
    assert "<a" not in doc.html
    assert "<img" not in doc.html


@pytest.mark.parametrize(
    ("head", "title"),
    [
        ("<title>Rye - Farm</title><h1>Rye</h1>", "Rye"),
        ("<title>Farm: The winter rye</title><h1>The winter rye</h1>", "The winter rye"),
        ("<title>Rye in spring</title><h1>Farm</h1>", "Rye in spring"),
        ("<h1>Only a heading</h1>", "Only a heading"),
        ("<p>nothing</p>", ""),
    ],
)
def test_the_title_is_the_heading_where_the_declared_title_repeats_it(head: str, title: str) -> None:
    assert read(head + f"<div><p>{SENTENCES}</p></div>").title == title


@pytest.mark.parametrize(
    ("html", "why"),
    [
        ("", "empty page"),
        (" \n\t ", "empty page"),
        ("<html><body></body></html>", "no text"),
        ("<!-- only a comment -->", "no text"),
        ("<div id=root></div><script src=app.js></script>", "only a script application"),
        (
            "<noscript>You need to enable JavaScript to run this app.</noscript><div id=root></div>",
            "only a script application",
        ),
        ("<frameset><frame src=a.html></frameset>", "frameset"),
        ("<title>404 Not Found</title><h1>Not Found</h1>", "soft 404"),
        ("<form>Log in <input type=password></form>", "login wall"),
        ("<p>Please complete the captcha</p>", "captcha wall"),
        ("<p>We use cookies</p>", "cookie wall"),
        ('<meta http-equiv="Refresh" content="0;url=/x"><p>Moved</p>', "redirect by meta refresh"),
    ],
)
def test_a_page_without_main_text_says_why(html: str, why: str) -> None:
    from scythe.reader import explain_empty

    assert explain_empty(Page.from_text(html)) == why


def test_the_reason_stands_in_why_and_in_how() -> None:
    doc = scythe.read("<frameset><frame src=a.html></frameset>", method="sentences")
    assert (doc.text, doc.markdown, doc.html, doc.images) == ("", "", "", ())
    assert doc.why == "frameset"
    assert doc.how["text"] == "empty: frameset"


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b"%PDF-1.7\n%\xe2\xe3", "not HTML: looks like PDF"),
        (b"\x89PNG\r\n\x1a\n\0\0", "not HTML: looks like PNG image"),
        (b"RIFF\0\0\0\0WEBPVP8 ", "not HTML: looks like WebP image"),
        (b"PK\x03\x04", "not HTML: looks like ZIP archive or office document"),
        (b"\0\0\0\x20ftypisom", "not HTML: looks like MP4 media"),
        (b'{"a": [1, 2]}', "not HTML: looks like JSON"),
        (b'<?xml version="1.0"?><rss version="2.0"><channel>', "not HTML: looks like XML feed or sitemap"),
    ],
)
def test_what_is_not_html_is_named_and_not_read(body: bytes, why: str) -> None:
    doc = scythe.read(body, URL, method="sentences")
    assert (doc.text, doc.why, doc.url) == ("", why, URL)


def test_plain_text_becomes_its_paragraphs() -> None:
    doc = scythe.read("First line\nsecond line  \n\n\n\n# Third *line*\n", method="sentences")
    assert doc.text == "First line\nsecond line\n\n# Third *line*"
    assert doc.markdown == "First line\\\nsecond line\n\n\\# Third \\*line\\*"
    assert doc.how["text"] == "plain text: 2 paragraphs"


def test_html_served_as_plain_text_is_text() -> None:
    doc = scythe.read(b"<p>source</p>", content_type="text/plain; charset=utf-8")
    assert doc.text == "<p>source</p>"
    assert doc.html == "<p>&lt;p&gt;source&lt;/p&gt;</p>"


def test_xhtml_with_an_xml_declaration_is_html() -> None:
    html = f'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><body><div><p>{SENTENCES}</p></div></body></html>'
    assert read(html).text == SENTENCES


@pytest.mark.parametrize("argument", [None, 1, ["<p>"], {"html": "<p>"}])
def test_a_page_of_another_type_is_bad_input(argument: object) -> None:
    with pytest.raises(BadInput, match="html must be str, bytes, Path or Page, not"):
        scythe.read(argument)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("https://ada:secret@a.example/x", "an address, not a page: scythe.get"),
        ("saved/page.html", "the name of a file, not a page: give Path"),
        ("  PAGE.HTM\n", "the name of a file"),
    ],
)
def test_what_names_a_page_is_no_page(given: str, said: str) -> None:
    for reader in (scythe.read, scythe.read_lists):
        with pytest.raises(BadInput, match=said) as raised:
            reader(given)  # type: ignore[operator]
        assert "secret" not in str(raised.value)


@pytest.mark.parametrize("text", ["word", "see page.html", "<p>https://a.example/</p>", "https://a.example/ is it", ""])
def test_texts_that_are_no_names_are_read(text: str) -> None:
    assert scythe.read(text).why != "" or scythe.read(text).text


def test_a_path_is_read_as_a_file_with_the_address_it_was_saved_from(tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_text(f"<!-- saved from url=(0020)https://a.example/x --><div><p>{SENTENCES}</p></div>")
    assert (scythe.read(file).text, scythe.read(file).url) == (SENTENCES, "https://a.example/x")
    assert scythe.read_lists(file) == ()
    with pytest.raises(FileNotFoundError):
        scythe.read(tmp_path / "none.html")


def test_options_url_and_method_of_another_type_are_bad_input() -> None:
    with pytest.raises(BadInput, match="url must be str"):
        scythe.read("<p>", 5)  # type: ignore[arg-type]
    with pytest.raises(BadInput, match="options must be TextOptions"):
        scythe.read("<p>", options={"method": "auto"})  # type: ignore[arg-type]
    with pytest.raises(BadInput, match="method must be the name"):
        scythe.read("<p>", method=3)  # type: ignore[arg-type]
    with pytest.raises(BadInput, match="unknown text method 'magic'"):
        scythe.read("<p>", method="magic")


def test_a_document_survives_pickle_copy_and_json() -> None:
    doc = read()
    for twin in (pickle.loads(pickle.dumps(doc)), copy.deepcopy(doc), doc.detach()):
        assert twin == doc
        assert twin.to_dict() == doc.to_dict()
    assert json.loads(json.dumps(doc.to_dict()))["images"][0]["src"] == "https://example.org/barley.jpg"
    assert dataclasses.asdict(doc)["title"] == "The harvest"


def test_a_document_shows_what_it_is_about_and_not_its_whole_text() -> None:
    assert repr(read()) == f"<Document 'The harvest', {len(read().text)} characters, {URL}>"
    assert repr(scythe.read(b"%PDF-1.7")) == "<Document '', empty: not HTML: looks like PDF, no address>"


def test_a_document_can_be_changed_into_another() -> None:
    doc = dataclasses.replace(read(), title="Other")
    assert doc.title == "Other"
    assert "<h1>The harvest</h1>" in doc.html


def test_a_method_that_gives_text_instead_of_blocks_is_rendered_too() -> None:
    page = Page.from_text(ARTICLE, url=URL)
    doc = _document(page, Reading("other", text="One *line*.\n\nTwo."), TextOptions(title_line=True))
    assert doc.text == "The harvest\n\nOne *line*.\n\nTwo."
    assert doc.markdown == "The harvest\n\nOne \\*line\\*.\n\nTwo."
    assert doc.how["text"] == "other: 17 characters"
    assert [image.src for image in doc.images] == ["https://example.org/barley.jpg"]


def test_losses_of_the_page_are_handed_on() -> None:
    doc = scythe.read(
        b"<meta charset=utf-8><div><p>" + SENTENCES.encode() + b" caf\xe9\xff\xfe \x00</p></div>", method="sentences"
    )
    assert (
        doc.losses
        == Page.from_bytes(
            b"<meta charset=utf-8><div><p>" + SENTENCES.encode() + b" caf\xe9\xff\xfe \x00</p></div>"
        ).losses
    )


def test_importing_scythe_stays_light_and_read_is_the_function() -> None:
    code = "import sys, scythe; import scythe.reading.text; assert callable(scythe.read); print('numpy' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "False"


def test_images_beyond_the_limit_are_told_as_lost() -> None:
    pictures = "".join(f"<img src=/{number}.jpg>" for number in range(LIMITS.page_images + 5))
    doc = read(ARTICLE.replace("</body>", f"{pictures}</body>"))
    assert [loss.what for loss in doc.losses if "image" in loss.what]
    assert not [loss.what for loss in read().losses if "image" in loss.what]
