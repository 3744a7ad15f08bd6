"""The local web page of `scythe ui` and its JSON interface."""
