"""The views that rules judge, and the readers of what others wrote: Vertex AI bodies, GKE resources."""
