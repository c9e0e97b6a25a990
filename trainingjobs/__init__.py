"""Distributed training on Google Cloud and any Kubernetes, declared: configuration, plan, rules, components, plugin.

Nothing is imported here: a command pays for what it uses.
"""

# What a release was made with.
__version__ = "1.0.0"
