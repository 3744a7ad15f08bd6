"""Read and extract pages."""
