"""Read the attributes of a page's subject: typed values such as price and brand, and labelled pairs."""
