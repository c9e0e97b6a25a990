"""The kinds of job, one module each, and what they share: importing the package registers them all.

A new kind is a module here with a subclass of VertexWorkload or KubernetesWorkload, and a line below; one that is only
observed is a class in foreign_objects.py.
"""

from trainingjobs.workloads.custom_job import CustomJob
from trainingjobs.workloads.foreign_objects import (
    BatchJob,
    CronJob,
    JaxJob,
    MpiJob,
    PaddleJob,
    TrainJob,
    XgboostJob,
)
from trainingjobs.workloads.jobset import JobSet
from trainingjobs.workloads.pods import Pods
from trainingjobs.workloads.pytorchjob import PyTorchJob
from trainingjobs.workloads.registry import register, register_observed
from trainingjobs.workloads.tfjob import TfJob
from trainingjobs.workloads.training_pipeline import TrainingPipeline
from trainingjobs.workloads.tuning_job import HyperparameterTuningJob

# In the order in which people are told of them.
for _kind in (CustomJob, HyperparameterTuningJob, TrainingPipeline, TfJob, PyTorchJob, JobSet, Pods):
    register(_kind)
for _observed in (MpiJob, TrainJob, JaxJob, PaddleJob, XgboostJob, BatchJob, CronJob):
    register_observed(_observed)
