"""Everything about one learned site: rules, learning, cutting, extraction and monitoring."""
