"""Vertex AI's job API."""
