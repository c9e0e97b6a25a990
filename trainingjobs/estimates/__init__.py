"""Arithmetic over the catalogue: how many reducers, what they gain, what a job costs."""
