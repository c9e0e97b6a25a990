"""The launcher: runs in the container, turns the cluster description into the framework's own settings, then execs CMD.

Standard library only, of Python 3.7 or later as old training images have it, and nothing of the project outside this
folder: copy the folder into any image and start the training with `python -m launcher --framework=F -- CMD…`, or
`python -m trainingjobs.launcher …` where it lies in trainingjobs/.

The description is CLUSTER_SPEC (the Vertex AI and the AI Platform dialect), else TF_CONFIG, else what a Kubernetes
operator injected (PyTorchJob), else none: a world of one. An empty variable counts as absent.

Ranks: primary 0, worker i is i+1; reducers, parameter servers and evaluators are never ranks. Their CMD gets NODE_ROLE
and NODE_INDEX in place of the framework's rank variables, which are removed where the image or the pod had set them.

Every address is used with the port that the description gives (2222 on Vertex AI), which is free for that use.
"""
