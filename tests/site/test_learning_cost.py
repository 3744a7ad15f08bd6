"""`Site.cost`: what learning a site has cost and saved."""

from scythe import Site
from scythe.site.learning_cost import LearningCost


def page(number: int) -> tuple[str, bytes]:
    words = " ".join(f"word{number}x{i} and some more of it" for i in range(30))
    menu = "".join(f'<li><a href="/{i}">menu {i}</a></li>' for i in range(5))
    top = f'<title>Page {number}</title><ul class="menu">{menu}</ul>'
    html = f'{top}<div class="text"><h1>Page {number}</h1><p>{words}</p></div>'
    return f"https://a.example/{number}", html.encode()


def test_pages_are_counted_by_the_way_they_were_got() -> None:
    site = Site.learn(page(number) for number in range(6))
    assert (site.cost.read, site.cost.cut) == (4, 2)  # four pages were enough for a rule that is sure
    for number in range(6, 16):
        url, body = page(number)
        assert site.extract(body, url).fields["text"].how.startswith("cut")
    assert (site.cost.read, site.cost.cut) == (4, 12)
    assert site.cost.learn_s > 0


def test_reading_all_is_worked_out_from_the_pages_that_were_read() -> None:
    cost = LearningCost(read=2, cut=8, read_s=0.5, cut_s=0.25, learn_s=0.125)
    assert cost.seconds == 0.875
    assert cost.reading_all_s == 2.5
    assert cost.tell() == (
        "2 pages read in 0.50 s of CPU, 8 cut in 0.25 s, rules learned in 0.12 s; reading all would have taken 2.50 s"
    )


def test_where_no_page_was_read_nobody_knows_what_reading_costs() -> None:
    cost = LearningCost(cut=3, cut_s=0.5)
    assert cost.reading_all_s is None
    assert cost.tell() == "0 pages read in 0.00 s of CPU, 3 cut in 0.50 s, rules learned in 0.00 s"


def test_costs_add_up() -> None:
    total = LearningCost(1, 2, 0.5, 0.25, 0.125) + LearningCost(3, 4, 1.0, 2.0, 4.0)
    assert total == LearningCost(4, 6, 1.5, 2.25, 4.125)
