"""The command line: one module a verb, each with `SUMMARY`, `arguments(parser)` and `run(args) -> exit status`."""
