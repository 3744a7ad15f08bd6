"""Page -> Reading: what one page says, by its tree."""
