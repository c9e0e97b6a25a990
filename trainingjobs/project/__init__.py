"""The project that the user stands in: its stacks, their policy configurations, and the files that a user names."""
