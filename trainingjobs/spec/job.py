"""A job as a user writes it: pools by role, what runs in them, and the fields of Vertex AI by Vertex's own names.

Only shape and types are checked here; what the values mean for each other is judged by trainingjobs/plan.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from trainingjobs.spec.base import Duration, EnvName, EnvValue, ImageName, Items, Labels, Part, Replicas, Text, Version
from trainingjobs.spec.forms import Form
from trainingjobs.spec.model import ModelToUpload
from trainingjobs.spec.node_pool import InstanceGroup, NodePool
from trainingjobs.spec.tuning import Tuning

Platform = Literal["vertex", "gke", "kubernetes"]
Framework = Literal["tensorflow", "pytorch", "horovod", "jax", "mxnet", "byteps", "xgboost", "custom"]
Strategy = Literal["STANDARD", "ON_DEMAND", "LOW_COST", "SPOT", "FLEX_START"]
BootDiskType = Literal["pd-standard", "pd-ssd", "hyperdisk-balanced"]


class Declares(Part):
    """What is installed in a custom image: nobody can see it without pulling it, so the user says it."""

    tensorflow: Version | None = Field(None, description="Version of TensorFlow, a string.", examples=["2.15"])
    torch: Version | None = Field(None, description="Version of PyTorch, a string.", examples=["2.3"])
    nccl: Version | None = Field(None, description="Version of NCCL, a string.", examples=["2.18"])
    packages: Items[Text] | None = Field(
        None, description="Packages of the image that rules ask for.", examples=[["google-reduction-server"]]
    )


class Container(Part):
    """A container: Vertex AI's containerSpec, with `env` as a map."""

    image_uri: ImageName | None = Field(
        None,
        description="Image to run, by digest (NAME@sha256:…). In a pool it falls back to the job's.",
        examples=["us-docker.pkg.dev/acme/train/bert@sha256:…"],
    )
    command: Items[EnvValue] | None = Field(None, description="Replaces the image's entry point.")
    args: Items[EnvValue] | None = Field(None, description="Arguments of the command.")
    env: dict[EnvName, EnvValue] | None = Field(None, description="Environment variables; values are strings.")
    declares: Declares | None = Field(None, description="What is installed in a custom image.")


class PythonPackage(Part):
    """A Python package run by a prebuilt image: Vertex AI's pythonPackageSpec, with `env` as a map."""

    executor_image_uri: ImageName = Field(description="Prebuilt image that runs the package.")
    package_uris: Annotated[tuple[Text, ...], Field(strict=False, min_length=1, max_length=100)] = Field(
        description="Cloud Storage URIs of the packages."
    )
    python_module: Text = Field(description="Module to run after the packages are installed.")
    args: Items[EnvValue] | None = Field(None, description="Arguments of the module.")
    env: dict[EnvName, EnvValue] | None = Field(None, description="Environment variables; values are strings.")


class ReservationAffinity(Part):
    """Whether a pool's machines come from a reservation."""

    reservation_affinity_type: Literal["NO_RESERVATION", "ANY_RESERVATION", "SPECIFIC_RESERVATION"]
    key: Text | None = Field(None, examples=["compute.googleapis.com/reservation-name"])
    values: Items[Text] | None = None


class NfsMount(Part):
    """A network file system mounted into each replica of a pool."""

    server: Text
    path: Text
    mount_point: Text


class Pool(Part):
    """The machines of one role. What is left out is said in docs/configuration.md, role by role."""

    machine_type: Text | None = Field(None, description="Compute Engine machine type.", examples=["a2-highgpu-8g"])
    accelerator_type: Text | None = Field(
        None,
        description="Accelerator by Vertex AI's name; implied by A2, A3, A4, G2 and G4 machines.",
        examples=["NVIDIA_TESLA_V100"],
    )
    accelerator_count: Annotated[int, Field(ge=0, le=1024)] | None = Field(
        None, description="Accelerators of one replica; implied as their type is."
    )
    replica_count: Replicas | None = Field(
        None, description="Replicas (0 to 10000). Left out: 1, for reducers as many as the bandwidth rule asks for."
    )
    boot_disk_type: BootDiskType | None = Field(None, description="Left out: the platform's default.")
    boot_disk_size_gb: Annotated[int, Field(ge=100, le=64_000)] | None = Field(None, description="GB, 100 to 64000.")
    container: Container | None = Field(None, description="Overrides the job's container for this pool.")
    python_package: PythonPackage | None = Field(None, description="Overrides the job's package for this pool.")
    reservation_affinity: ReservationAffinity | None = Field(
        None, description="Never inherited: a reservation of GPUs is of no use to reducers."
    )
    nfs_mounts: Items[NfsMount] | None = None
    tpu_topology: Text | None = Field(None, examples=["2x2x1"])
    node_pool: NodePool | None = Field(None, description="Of gke jobs; workers share the primary's.")
    instance_group: InstanceGroup | None = Field(
        None, description="Of the reducers of a gke job: Compute Engine VMs in place of a node pool."
    )


class Pools(Part):
    """The roles of a job. `{}`, an absent role and replicaCount 0 all mean: no such pool."""

    primary: Pool | None = Field(None, description="Exactly one replica; it decides the job's end.")
    workers: Pool | None = Field(None, description="Machine, accelerators and disk default to the primary's.")
    parameter_servers: Pool | None = Field(None, description="Excludes reducers.")
    reducers: Pool | None = Field(
        None, description="Reduction servers; machineType defaults to n1-highcpu-16, `auto` lets the plan choose."
    )
    evaluators: Pool | None = None


class Scheduling(Part):
    """How capacity is bought and what happens when it is lost."""

    strategy: Strategy | None = Field(None, description="Left out: STANDARD (on demand).")
    timeout: Duration | None = Field(None, description="Longest run of the job; Vertex AI's default is 7 days.")
    restart_job_on_worker_restart: bool | None = Field(
        None, description="Restart the whole job when one worker restarts."
    )
    max_wait_duration: Duration | None = Field(None, description="Longest wait for capacity.")
    disable_retries: bool | None = Field(None, description="End the job at the first failure.")


class OutputDirectory(Part):
    """Where the job writes; Vertex AI derives AIP_MODEL_DIR and its like from it."""

    output_uri_prefix: Annotated[
        str,
        Form(r"^gs://[a-z0-9]", "a Cloud Storage folder", "gs://acme-ml-dev-output/bert"),
        Field(examples=["gs://acme-ml-dev-output/bert"]),
    ]


class EncryptionSpec(Part):
    """Customer-managed encryption key of the job's resources."""

    kms_key_name: Text = Field(examples=["projects/P/locations/R/keyRings/K/cryptoKeys/C"])


class DnsPeeringConfig(Part):
    """A DNS zone of the user's VPC that the job resolves."""

    domain: Text
    target_project: Text
    target_network: Text


class PscInterfaceConfig(Part):
    """A Private Service Connect interface into the user's VPC."""

    network_attachment: Text | None = None
    dns_peering_configs: Items[DnsPeeringConfig] | None = None


class KubernetesSettings(Part):
    """What a cluster does with the job's objects."""

    queue_name: Text | None = Field(None, description="Kueue's local queue that admits the job.")
    priority_class_name: Text | None = None
    ttl_seconds_after_finished: Annotated[int, Field(ge=0)] | None = Field(
        None, description="How long an ended job's objects stay; left out: until it leaves the stack."
    )
    gang_scheduling: bool = Field(
        False, description="All pods of a TFJob or PyTorchJob at once or none, by the operator's gang scheduler."
    )


class Job(Part):
    """A training job."""

    platform: Platform = Field("vertex", description="Where the job runs.")
    # Which words there are is said by trainingjobs/workloads.
    kind: Text | None = Field(None, description="Left out: customJob on Vertex AI, jobset elsewhere.")
    framework: Framework = Field("custom", description="What the replicas run; some rules depend on it.")
    display_name: Annotated[str, Field(min_length=1, max_length=128)] | None = Field(
        None, description="Left out: the job's name."
    )
    container: Container | None = Field(None, description="What primary, workers, servers and evaluators run.")
    python_package: PythonPackage | None = Field(None, description="In place of a container.")
    pools: Pools = Field(default_factory=lambda: Pools.model_validate({}), description="The machines, by role.")
    scheduling: Scheduling | None = None
    service_account: Text | None = Field(
        None, description="Identity of the replicas; left out: one that the stack declares for the job."
    )
    network: Text | None = Field(None, description="VPC to peer with: projects/NUMBER/global/networks/NAME.")
    reserved_ip_ranges: Items[Text] | None = None
    psc_interface_config: PscInterfaceConfig | None = None
    tensorboard: Text | None = None
    base_output_directory: OutputDirectory | None = Field(
        None, description="Left out: a folder of the stack's output bucket."
    )
    labels: Labels | None = None
    encryption_spec: EncryptionSpec | None = None
    persistent_resource_id: Text | None = None
    enable_web_access: bool | None = None
    enable_dashboard_access: bool | None = None
    experiment: Text | None = None
    experiment_run: Text | None = None
    models: Items[Text] | None = None
    protected_artifact_location_id: Text | None = None
    tuning: Tuning | None = Field(None, description="For a hyperparameterTuningJob.")
    model_to_upload: ModelToUpload | None = Field(None, description="Of a trainingPipeline.")
    model_id: Text | None = Field(None, description="Of a trainingPipeline: the id of the uploaded model.")
    parent_model: Text | None = Field(
        None, description="Of a trainingPipeline: the model of which the uploaded one is a new version."
    )
    run: Annotated[int, Field(ge=1)] = Field(1, description="Raise it to run the same job again.")
    retain_record: bool = Field(False, description="Keep an ended job's record when it leaves the configuration.")
    allow_replace_while_running: bool = Field(False, description="In prod: let a change cancel a live job.")
    wait_for: Literal["submitted", "running", "succeeded"] = Field(
        "submitted", description="What an update waits for; a wait holds the stack's lock."
    )
    use_chief_in_tf_config: bool | None = Field(
        None, description="Of documents that came from AI Platform; false in a tfjob: its primary is Master, not Chief."
    )
    runtime_version: Version | None = Field(None, description="Of documents that came from AI Platform.")
    namespace: Text = Field("default", description="Kubernetes namespace of the job.")
    kubernetes: KubernetesSettings | None = Field(None, description="Of gke and kubernetes jobs.")
