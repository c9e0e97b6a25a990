"""What follows from a specification: ordered pools, reducer sizing, cost, and the rules. Pure."""
