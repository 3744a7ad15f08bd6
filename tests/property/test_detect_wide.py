"""What is left of bytes before they are tried as East Asian text: no character outside ASCII changes."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scythe.page.encoding_guess import without_plain

CODECS = ("gb18030", "big5hkscs", "cp932", "euc_jp", "cp949", "utf-8")
runs = st.one_of(
    st.binary(max_size=12),
    st.text("ab <0~@", max_size=20).map(str.encode),
    st.text("中文漢字かなカナ한글é€", max_size=6).flatmap(
        lambda text: st.sampled_from(CODECS).map(lambda codec: text.encode(codec, "ignore"))
    ),
    st.sampled_from((b"\x810\x810", b"\x8f\xb0\xa1", b"\x81", b"\x810", b"\xff", b"\x80")),
)


@pytest.mark.parametrize("codec", CODECS)
@given(parts=st.lists(runs, max_size=8))
def test_ascii_far_from_other_bytes_can_be_left_out(codec: str, parts: list[bytes]) -> None:
    body = b"".join(parts)
    assert _outside_ascii(without_plain(body), codec) == _outside_ascii(body, codec)


def _outside_ascii(body: bytes, codec: str) -> Counter[str]:
    return Counter(char for char in body.decode(codec, "replace") if char > "\x7f")
