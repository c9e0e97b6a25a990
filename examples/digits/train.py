"""Data-parallel training of a small network on scikit-learn's handwritten digits, in JAX on CPUs.

Every process holds its shard of the images; gradients are summed over all processes in each step (Gloo). The
launcher says who takes part: `python -m trainingjobs.launcher --framework=jax -- python train.py`. Without it one
process trains. The primary writes model.npz and metrics.json to AIP_MODEL_DIR.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
from functools import partial
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec
from sklearn.datasets import load_digits

Params = dict[str, jax.Array]
AXIS = "replicas"
TEST_IMAGES = 360
GLOBAL_BATCH = 96
MOMENTUM = 0.9
REPORT_EVERY = 50


def join_cluster() -> tuple[int, int]:
    """Returns this process's rank and the number of processes, connected to each other if there are several."""
    rank, processes = int(os.environ.get("JAX_PROCESS_ID", "0")), int(os.environ.get("JAX_NUM_PROCESSES", "1"))
    if processes > 1:
        refuse_nameless_machine()
        jax.config.update("jax_cpu_collectives_implementation", "gloo")
        # The coordinator's address and the one it binds are read from the launcher's variables by JAX itself.
        jax.distributed.initialize(num_processes=processes, process_id=rank, cluster_detection_method="deactivate")
    return rank, processes


def refuse_nameless_machine() -> None:
    """Ends the program where this machine cannot resolve its own name: Gloo would fail, and its peers hang."""
    try:
        socket.getaddrinfo(socket.gethostname(), None)
    except OSError:
        raise SystemExit(f"this machine's name, {socket.gethostname()}, has no address: see its hosts file") from None


def load(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Returns training images and labels, then the held-out ones: the same split in every process."""
    digits = load_digits()
    order = np.random.default_rng(seed).permutation(len(digits.target))
    images, labels = (digits.data / 16.0).astype(np.float32)[order], digits.target.astype(np.int32)[order]
    return images[TEST_IMAGES:], labels[TEST_IMAGES:], images[:TEST_IMAGES], labels[:TEST_IMAGES]


def initial(seed: int, hidden: int) -> Params:
    """Returns the same random parameters in every process."""
    first, second = jax.random.split(jax.random.key(seed))
    return {
        "w1": jax.random.normal(first, (64, hidden)) * np.sqrt(2 / 64),
        "b1": jnp.zeros(hidden),
        "w2": jax.random.normal(second, (hidden, 10)) * np.sqrt(2 / hidden),
        "b2": jnp.zeros(10),
    }


def logits(params: Params, images: jax.Array) -> jax.Array:
    """Returns a score for each of the ten digits per image."""
    return jax.nn.relu(images @ params["w1"] + params["b1"]) @ params["w2"] + params["b2"]


def loss_of(params: Params, images: jax.Array, labels: jax.Array) -> jax.Array:
    """Returns the mean cross entropy."""
    return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(logits(params, images)), labels[:, None], axis=1))


def make_step(mesh: Mesh, learning_rate: float):
    """Returns the compiled step: parameters, velocity and a sharded batch in; parameters, velocity and loss out."""
    replicated, sharded = PartitionSpec(), PartitionSpec(AXIS)

    @partial(
        jax.shard_map,
        mesh=mesh,
        in_specs=(replicated, replicated, sharded, sharded),
        out_specs=(replicated, replicated, replicated),
        check_vma=False,  # with it on, JAX sums the gradients itself, and the sum below would count them twice
    )
    def step(params: Params, velocity: Params, images: jax.Array, labels: jax.Array):
        loss, gradients = jax.value_and_grad(loss_of)(params, images, labels)
        loss, gradients = jax.lax.psum((loss, gradients), AXIS)
        velocity = jax.tree.map(lambda v, g: MOMENTUM * v + g / mesh.size, velocity, gradients)
        params = jax.tree.map(lambda p, v: p - learning_rate * v, params, velocity)
        return params, velocity, loss / mesh.size

    return jax.jit(step)


def train(rank: int, processes: int, options: argparse.Namespace) -> dict[str, float | int]:
    """Returns the metrics after training; the primary also writes the model."""
    images, labels, test_images, test_labels = load(options.seed)
    images, labels = images[rank::processes], labels[rank::processes]
    mesh = Mesh(np.array(jax.devices()), (AXIS,))
    everywhere, split = NamedSharding(mesh, PartitionSpec()), NamedSharding(mesh, PartitionSpec(AXIS))
    params = jax.device_put(jax.device_get(initial(options.seed, options.hidden)), everywhere)
    velocity = jax.tree.map(jnp.zeros_like, params)
    step = make_step(mesh, options.lr)
    draw = np.random.default_rng([options.seed, rank])
    loss = jnp.inf
    for number in range(1, options.steps + 1):
        rows = draw.choice(len(labels), GLOBAL_BATCH // processes, replace=False)
        batch = [jax.make_array_from_process_local_data(split, part[rows]) for part in (images, labels)]
        params, velocity, loss = step(params, velocity, *batch)
        if rank == 0 and (number % REPORT_EVERY == 0 or number == 1):
            print(f"step {number} loss {float(loss):.4f}", flush=True)
    found = {name: np.asarray(value) for name, value in params.items()}
    accuracy = float(np.mean(np.argmax(np.asarray(logits(found, test_images)), axis=1) == test_labels))
    metrics = {"accuracy": accuracy, "loss": float(loss), "processes": processes, "steps": options.steps}
    if rank == 0:
        print(f"accuracy {accuracy:.3f}", flush=True)
        write_model(model_folder(), found, metrics)
    return metrics


def model_folder() -> Path:
    """Returns where the model goes: AIP_MODEL_DIR, a bucket as Vertex AI mounts it; ./model without that variable."""
    place = os.environ.get("AIP_MODEL_DIR") or "model"
    return Path("/gcs") / place.removeprefix("gs://") if place.startswith("gs://") else Path(place)


def write_model(folder: Path, params: dict[str, np.ndarray], metrics: dict[str, float | int]) -> None:
    """Writes model.npz and metrics.json, each under another name first: whoever finds one finds all of it."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "model.npz.part").open("wb") as file:
        np.savez(file, **params)
    (folder / "model.npz.part").replace(folder / "model.npz")
    (folder / "metrics.json.part").write_text(json.dumps(metrics, sort_keys=True) + "\n")
    (folder / "metrics.json.part").replace(folder / "metrics.json")
    print(f"model written to {folder}", flush=True)


def main() -> None:
    """Trains as the arguments say."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lr", type=float, default=0.1, help="learning rate")
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--hidden", type=int, default=64, help="width of the hidden layer")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rank, processes = join_cluster()
    print(f"process {rank} of {processes} trains on {len(jax.local_devices())} device(s)", flush=True)
    train(rank, processes, options)
    if processes > 1:
        jax.distributed.shutdown()


if __name__ == "__main__":
    main()
