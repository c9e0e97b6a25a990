"""What people see of a command in their terminal: text that fits it, messages and JSON, and how Ctrl-C ends it."""
