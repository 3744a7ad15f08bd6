"""What crawls and watches share: host queues, politeness, the archive thread and the worker processes."""
