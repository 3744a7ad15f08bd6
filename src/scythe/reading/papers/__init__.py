"""Published methods under their own names, with the parameters of their papers."""
