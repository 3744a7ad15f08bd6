"""Follow learned rules on the tree of a page."""
