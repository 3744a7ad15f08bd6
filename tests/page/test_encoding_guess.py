"""Which letters follow each other tells languages apart whose letters alone do not."""

from __future__ import annotations

import numpy as np
import pytest

from scythe.page.encoding import decode
from scythe.page.encoding_guess import HALF, count_pairs, log_ratios, pair_rows

HEBREW = "<p>הקוצרים יצאו לשדה עם שחר והטחנה טחנה את החיטה עד הערב והילדים הקשיבו לקול המים הזורמים.</p>"
GREEK = "<p>Οι θεριστές βγήκαν στο χωράφι την αυγή, και ο μύλος άλεθε το σιτάρι μέχρι το βράδυ χωρίς διακοπή.</p>"
KOREAN = "<p>농부들은 새벽에 밭으로 나갔고 물레방아는 저녁까지 곡식을 빻았으며 아이들은 물소리를 들었다.</p>"


@pytest.mark.parametrize(
    ("text", "codec", "label"),
    [
        (HEBREW, "cp1255", "windows-1251"),
        (HEBREW, "iso8859-8", "windows-1251"),
        (GREEK, "cp1253", "windows-1251"),
        (KOREAN, "cp949", "gb2312"),
    ],
)
def test_a_label_of_a_script_with_as_many_letters_is_outdone(text: str, codec: str, label: str) -> None:
    html = f'<meta charset="{label}">' + text * 8
    assert decode(html.encode(codec)).text == html


def test_pairs_are_those_of_two_bytes_outside_ascii_side_by_side() -> None:
    counts = count_pairs(np.frombuffer(b"a\x80\x81\x81 \xff\x80\xfe", np.uint8))
    assert dict(zip(np.flatnonzero(counts).tolist(), counts[counts > 0].tolist(), strict=True)) == {
        0 * HALF + 1: 1,
        1 * HALF + 1: 1,
        127 * HALF + 0: 1,
        0 * HALF + 126: 1,
    }
    assert not count_pairs(np.frombuffer(b"", np.uint8)).any()


def test_a_pair_that_was_seen_is_likelier_than_by_its_letters_and_one_that_was_not_less() -> None:
    alphabet, ratios = log_ratios({"а": 0.5, "б": 0.25, "в": 0.25}, {"аб": 300, "бв": 200, "ва": 200})
    assert alphabet == ["а", "б", "в"]
    assert ratios[0, 1] > 1 > 0 > ratios[0, 0]
    assert ratios.shape == (4, 4)
    assert not ratios[3].any()  # of what is no letter nothing is known
    assert not ratios[:, 3].any()
    chances = np.exp(ratios[:3, :3]) * [0.5, 0.25, 0.25]
    assert chances.sum(axis=1) == pytest.approx([1, 1, 1])


def test_each_codec_has_the_pairs_at_its_own_bytes_capitals_among_them() -> None:
    alphabet, ratios = log_ratios({"а": 0.5, "б": 0.5}, {"аб": 100})
    rows = pair_rows(
        ["cp1251", "koi8-r"], alphabet, ratios, lambda octet, codec: bytes([octet]).decode(codec, "replace")
    )
    for row, codec in zip(rows, ("cp1251", "koi8-r"), strict=True):
        for text in ("аб", "Аб", "АБ"):
            first, second = text.encode(codec)
            assert row[(first - HALF) * HALF + second - HALF] == ratios[0, 1]
        assert np.count_nonzero(row) <= 16
