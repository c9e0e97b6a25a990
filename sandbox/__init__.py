"""A local stand-in for Google Cloud: the Vertex AI job API with its runner, and the `gcp` provider's part."""
