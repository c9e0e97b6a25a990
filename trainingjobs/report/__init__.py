"""What people see of a stack before it runs: one page, and the topology alone. Pulumi and the network are not used."""
