"""AI Platform's own names of machines and tiers, as machines of Vertex AI.

Source: AI Platform "Specifying machine types or scale tiers", tables of scale tiers and of legacy machine types.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from trainingjobs import catalog

K80 = "NVIDIA_TESLA_K80"
# In place of accelerators that are gone: the nearest that is still offered, the next one where it does not fit.
SUCCESSORS = ("NVIDIA_TESLA_T4", "NVIDIA_TESLA_V100")


@dataclass(frozen=True, slots=True)
class Machine:
    """A machine with its accelerators; `note` says what is another than its name promised."""

    machine_type: str
    accelerator_type: str | None = None
    accelerator_count: int = 0
    note: str = ""


LEGACY = {
    "standard": Machine("n1-standard-4"),
    "large_model": Machine("n1-highmem-8"),
    "complex_model_s": Machine("n1-highcpu-8"),
    "complex_model_m": Machine("n1-highcpu-16"),
    "complex_model_l": Machine("n1-highcpu-32"),
    "standard_gpu": Machine("n1-standard-8", K80, 1),
    "complex_model_m_gpu": Machine("n1-standard-16", K80, 4),
    "complex_model_l_gpu": Machine("n1-standard-32", K80, 8),
    "standard_p100": Machine("n1-standard-8", "NVIDIA_TESLA_P100", 1),
    "complex_model_m_p100": Machine("n1-standard-16", "NVIDIA_TESLA_P100", 4),
    "standard_v100": Machine("n1-standard-8", "NVIDIA_TESLA_V100", 1),
    "large_model_v100": Machine("n1-highmem-8", "NVIDIA_TESLA_V100", 1),
    "complex_model_m_v100": Machine("n1-standard-16", "NVIDIA_TESLA_V100", 4),
    "complex_model_l_v100": Machine("n1-standard-32", "NVIDIA_TESLA_V100", 8),
    "cloud_tpu": Machine("cloud-tpu"),
}
# Tier → what each role ran on and how often; the figures of the tiers are those of the page's table.
TIERS: dict[str, dict[str, tuple[Machine, int]]] = {
    "BASIC": {"master": (Machine("n1-standard-4"), 1)},
    "STANDARD_1": {
        "master": (Machine("n1-highcpu-8"), 1),
        "worker": (Machine("n1-highcpu-8"), 4),
        "parameterServer": (Machine("n1-standard-4"), 3),
    },
    "PREMIUM_1": {
        "master": (Machine("n1-highcpu-16"), 1),
        "worker": (Machine("n1-highcpu-16"), 19),
        "parameterServer": (Machine("n1-highmem-8"), 11),
    },
    "BASIC_GPU": {"master": (Machine("n1-standard-8", K80, 1), 1)},
    "BASIC_TPU": {"master": (Machine("cloud-tpu", "TPU_V2", 8), 1)},
}


def modern(machine: Machine) -> Machine:
    """Returns the machine that Vertex AI offers in its place, with a note of what has changed; itself where it is."""
    notes = []
    offered = _offered(machine.machine_type)
    if offered != machine.machine_type:
        notes.append(f"Vertex AI has no {machine.machine_type}: {offered}")
        machine = replace(machine, machine_type=offered)
    if machine.accelerator_type == K80:
        allowed = catalog.allowed_accelerators(machine.machine_type, "vertex")
        successor = next(
            (accelerator for accelerator in SUCCESSORS if machine.accelerator_count in allowed.get(accelerator, ())),
            None,
        )
        if successor is not None:
            notes.append(f"{K80} is gone: {successor}")
            machine = replace(machine, accelerator_type=successor)
    return replace(machine, note="; ".join(notes))


def _offered(name: str) -> str:
    """Returns the smallest machine of the same series that Vertex AI takes and that is no smaller, else the nearest."""
    if catalog.on_platform(name, "vertex") is None:
        return name
    series = [
        candidate for candidate in catalog.machine_names() if candidate.rpartition("-")[0] == name.rpartition("-")[0]
    ]
    fits = [
        candidate
        for candidate in series
        if catalog.on_platform(candidate, "vertex") is None and _size(candidate) >= _size(name)
    ]
    return min(fits, key=_size, default=catalog.nearest_on_platform(name, "vertex") or name)


def _size(name: str) -> int:
    machine = catalog.machine(name)
    return machine.vcpus if machine else 0


def executor_image(runtime_version: str, *, accelerated: bool, region: str) -> tuple[str, str]:
    """Returns the prebuilt TensorFlow image of a runtime version and a note of what to look at."""
    numbers = [int(part) for part in runtime_version.split(".")[:2]]
    major, minor = numbers[0], numbers[1] if len(numbers) > 1 else 0
    note = "the image is TensorFlow's; choose another for scikit-learn or XGBoost"
    if (major, minor) < (1, 15) or major == 1:
        note = f"Vertex AI's images begin with TensorFlow 1.15; {note}" if (major, minor) < (1, 15) else note
        major, minor = 1, 15
    elif (major, minor) < (2, 1):
        note, minor = f"Vertex AI has no TensorFlow 2.0; {note}", 1
    python = ".py310" if (major, minor) >= (2, 12) else ""
    device = "gpu" if accelerated else "cpu"
    multi_region = catalog.multi_region(region)[0]
    return f"{multi_region}-docker.pkg.dev/vertex-ai/training/tf-{device}.{major}-{minor}{python}:latest", note
