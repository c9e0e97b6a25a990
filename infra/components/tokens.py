"""Every type token that the project registers: its own components and the providers' resources.

A test compares the providers' with the installed SDKs: a misspelt token would be a policy that never fires.
"""

from __future__ import annotations

from typing import Final

JOB_IDENTITY: Final = "training:identity:JobIdentity"
TRAINING_STORAGE: Final = "training:storage:TrainingStorage"
VERTEX_JOB: Final = "training:vertex:VertexJob"

SERVICE_ACCOUNT: Final = "gcp:serviceaccount/account:Account"
PROJECT_IAM_MEMBER: Final = "gcp:projects/iAMMember:IAMMember"
BUCKET: Final = "gcp:storage/bucket:Bucket"
BUCKET_IAM_MEMBER: Final = "gcp:storage/bucketIAMMember:BucketIAMMember"
REPOSITORY: Final = "gcp:artifactregistry/repository:Repository"
REPOSITORY_IAM_MEMBER: Final = "gcp:artifactregistry/repositoryIamMember:RepositoryIamMember"
