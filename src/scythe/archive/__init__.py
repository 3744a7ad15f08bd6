"""Outcome -> Receipt: addresses, pages, versions, extractions and records, kept so that nothing is lost or doubled."""
