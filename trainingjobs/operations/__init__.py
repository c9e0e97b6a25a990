"""A stack brought up, down, promoted, recovered, compared, watched."""
