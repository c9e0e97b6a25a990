"""Measures ratios side by side in one run: `make bench` prints the table of docs/performance.md."""
