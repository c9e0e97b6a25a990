"""What jobs do now: their states and their logs, read from the service that runs them. Nothing is changed."""
