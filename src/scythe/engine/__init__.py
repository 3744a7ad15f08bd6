"""What crawls and watches share: queues per host, politeness, the archive thread, the worker processes."""
