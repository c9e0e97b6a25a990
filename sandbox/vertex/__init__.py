"""The Vertex AI job API on loopback: custom jobs, hyperparameter tuning jobs and training pipelines, which it runs."""
