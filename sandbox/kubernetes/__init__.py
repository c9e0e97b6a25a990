"""A real Kubernetes API server on loopback, with the controllers that make pods of jobs. Only the kubelet is played."""
