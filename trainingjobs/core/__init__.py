"""What every other part stands on: findings, documents, paths. Nothing of training."""
