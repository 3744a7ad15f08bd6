"""Profiles as files: rules come in, versioned JSON goes out, and back; and in words."""
