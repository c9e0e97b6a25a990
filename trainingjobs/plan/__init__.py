"""A configuration worked out: pools in order, sizes, node pools, networks, names."""
