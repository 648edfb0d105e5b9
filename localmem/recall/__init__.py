"""What was said: turns, threads, neighbourhood, roles, workspace, answer."""
