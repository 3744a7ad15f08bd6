from __future__ import annotations

import pickle

from scythe.reader import read

FIVE = "One a. Two b. Three c. Four d. Five e."


def test_a_method_that_chooses_images_decides_which_are_relevant() -> None:
    html = f"<img src=/a.png><div>{FIVE}<div><img src=/b.png></div></div><img src=/c.png>"
    document = read(html, url="https://example.org/", method="sentences")
    assert [image.src for image in document.images if image.relevant] == ["https://example.org/b.png"]
    assert len(document.images) == 3
    assert document.how["images"].startswith("sentences:")


def test_its_choice_survives_pickling() -> None:
    html = f"<div>{FIVE}<img src=/b.png></div><img src=/c.png>"
    document = read(html, url="https://example.org/", method="sentences")
    assert pickle.loads(pickle.dumps(document)).images == document.images
