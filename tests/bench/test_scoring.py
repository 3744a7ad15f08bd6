import pytest
from bench.scoring import (
    Truth,
    aggregate,
    count,
    count_sentences,
    cut_sentences,
    cut_shingles,
    deviate,
    efficiency,
)

from scythe.demo.scoring import Counts, Rates, cut_tokens, rate


def test_shingles_are_runs_of_four_words() -> None:
    assert cut_shingles("a b c d e") == {("a", "b", "c", "d"): 1, ("b", "c", "d", "e"): 1}
    assert cut_shingles("a, b") == {("a", "b"): 1}
    assert cut_shingles(" .,! ") == {}


def test_tokens_fold_case_forms_and_invisible_marks() -> None:
    assert cut_tokens("Soft\u00adware \ufb01ne FINE a_b") == {"software": 1, "fine": 2, "a": 1, "b": 1}


def test_each_character_is_a_token_in_scripts_without_spaces() -> None:
    assert cut_tokens("\u6536\u5272 2020 \u0e01\u0e02") == {
        "\u6536": 1,
        "\u5272": 1,
        "2020": 1,
        "\u0e01": 1,
        "\u0e02": 1,
    }


@pytest.mark.parametrize(
    ("truth", "said", "counts"),
    [
        (Truth("tokens", gold="a a b"), "A b b c", Counts(2, 2, 1)),  # hits a and b, too much b and c, missed a
        (
            Truth("chunks", must=("main  text", "lost"), must_not=("menu", "advert")),
            "The main\ntext, menu",
            Counts(1, 1, 1),
        ),
        (Truth("shingles", gold="a b c d e"), "a b c d", Counts(1, 0, 1)),
        (Truth("shingles", gold="a b c d"), "A b c d", Counts(0, 1, 1)),
    ],
)
def test_a_text_is_counted_by_the_metric_of_its_page(truth: Truth, said: str, counts: Counts) -> None:
    assert count(truth, said) == counts


def test_nothing_expected_and_nothing_found_is_perfect() -> None:
    assert rate(Counts(6, 2, 4)) == Rates(0.75, 0.6, 12 / 18)
    assert rate(Counts()) == Rates(1.0, 1.0, 1.0)
    assert rate(Counts(0, 3, 0)) == Rates(0.0, 0.0, 0.0)
    assert rate(Counts(0, 0, 3)) == Rates(0.0, 0.0, 0.0)


def test_chunks_are_pooled_over_pages() -> None:
    assert aggregate("chunks", [Counts(3, 1, 0), Counts(0, 0, 1)]) == rate(Counts(3, 1, 1))


def test_tokens_are_means_of_pages() -> None:
    result = aggregate("tokens", [Counts(1, 0, 0), Counts(1, 1, 1)])
    assert result == Rates(0.75, 0.75, 0.75)


def test_shingle_means_leave_out_pages_that_have_no_such_rate() -> None:
    # page 2 gave nothing: it has no precision, and its recall is 0
    result = aggregate("shingles", [Counts(4, 0, 0), Counts(0, 0, 4)])
    assert (result.precision, result.recall) == (1.0, 0.5)
    assert result.f1 == pytest.approx(2 / 3)
    assert aggregate("shingles", [Counts(0, 1, 1)]) == Rates(0.0, 0.0, 0.0)


def test_sentences_end_at_marks_and_not_at_line_breaks() -> None:
    assert cut_sentences("A title\nOne line,\n  wrapped. And? Yes!") == {"a title one line wrapped", "and", "yes"}
    assert cut_sentences("\u6536\u5272\uff01\u7530\u91ce\u3002") == {"\u6536 \u5272", "\u7530 \u91ce"}
    assert cut_sentences(" ... ") == frozenset()


def test_sentence_sets_count_a_repeated_sentence_once() -> None:
    truth = Truth("tokens", gold="One. Two. Three.")
    assert count_sentences(truth, "One. One. Four.") == Counts(1, 1, 2)
    assert count_sentences(Truth("chunks", must=("x",)), "x") is None


def test_ea_reproduces_the_published_rows() -> None:
    # rows 1, 2 and 16 of table 1 in the paper: 0.00, 15.91 and -15.76 per cent
    pairs = [(4414, 4414), (10360, 12008), (1713, 1443)]
    parts = [deviate(Truth("tokens", gold="x" * required), "x" * acquired) for required, acquired in pairs]
    assert [round(100 * part, 2) for part in parts if part is not None] == [0.0, 15.91, 15.76]


@pytest.mark.parametrize(
    ("gold", "said", "share"), [("ab cd", " a\nb c d ", 0.0), ("ab cd", "", 1.0), ("", "", 0.0), ("", "x", 1.0)]
)
def test_ea_counts_characters_without_white_space(gold: str, said: str, share: float) -> None:
    assert deviate(Truth("tokens", gold=gold), said) == share
    assert deviate(Truth("chunks"), said) is None


def test_ea_is_a_hundred_minus_the_mean_deviation() -> None:
    assert efficiency([0.0, 0.5]) == 75.0
    assert efficiency([3.0]) == -200.0
