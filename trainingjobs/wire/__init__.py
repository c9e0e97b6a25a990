"""The shapes of Google's and Kubernetes' objects, for editors and mypy: nothing of it is there at run time."""
