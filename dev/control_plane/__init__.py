"""The Kubernetes provider and a Kubernetes control plane, built from public Go modules. Standard library only."""
