"""Which letters follow each other tells languages apart whose letters alone do not."""

from __future__ import annotations

import pytest

from scythe.page.encoding import decode

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
