"""The size rules answer the benchmark's pages."""

from types import SimpleNamespace

from bench.image_baselines import Baseline, LargestWidth, Lead

from bench import image_baselines
from scythe.reading.papers.image_sizes import SIZE_RULES

PAGE = SimpleNamespace(
    site="example.org",
    url="https://example.org/a",
    images=[
        {"img_text": '<div><p><img src="/a.jpg" width="300">', "src": "/a.jpg", "og": 1},
        {"img_text": '<div><p><img src="/b.jpg" width="900" alt="a > b">', "src": "/b.jpg"},
    ],
)


def test_rules_read_the_declared_sizes_of_rows():
    assert (LargestWidth().predict(PAGE), Lead().predict_proba(PAGE)) == ([False, True], [1.0, 0.0])


def test_every_size_rule_has_its_adapter_under_its_own_name():
    made = [kind() for kind in vars(image_baselines).values() if isinstance(kind, type) and Baseline in kind.__bases__]
    for adapter in made:
        adapter.fit([], [PAGE])
    assert sorted(adapter.name for adapter in made) == sorted(SIZE_RULES)
