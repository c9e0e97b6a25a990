"""The Pulumi engine: found on PATH, or built from public Go modules into a cache. Standard library only."""
