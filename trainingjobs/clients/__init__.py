"""The services that run jobs, asked: Vertex AI and Kubernetes."""
