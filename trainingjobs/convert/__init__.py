"""Descriptions of jobs from elsewhere, read and written."""
