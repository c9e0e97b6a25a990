"""The configuration as types: shape alone, no meaning."""
