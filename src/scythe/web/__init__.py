"""The local web page, and the JSON interface behind it: a person or a program asks, scythe shows and does."""
