"""The linter of GitHub's workflow files, built from its pinned Go module into the cache."""
