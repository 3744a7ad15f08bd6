"""The schedule of watched lists."""
