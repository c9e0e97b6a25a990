"""The sandbox's `gcp` provider: a resource provider plugin that stands where Pulumi's gcp provider stands.

It keeps the resources in files under the sandbox's state folder and never reaches Google. It imports neither pulumi
nor pulumi_gcp at run time, so that it starts in a fraction of a second.
"""
