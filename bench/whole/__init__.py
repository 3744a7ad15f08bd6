"""Everything that `python -m bench` measures, in one run, as tables, charts and floors."""
