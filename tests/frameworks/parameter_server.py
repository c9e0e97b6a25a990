"""One replica of ParameterServerStrategy: the chief trains on the workers, whose variables are on the servers."""

from __future__ import annotations

import json

import tensorflow as tf

resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
report = {"task": [resolver.task_type, resolver.task_id], "cluster": resolver.cluster_spec().as_dict()}
if resolver.task_type != "chief":
    server = tf.distribute.Server(
        resolver.cluster_spec(), job_name=resolver.task_type, task_index=resolver.task_id, protocol="grpc"
    )
    print(json.dumps(report), flush=True)
    # Never ends by itself: the primary's end is the job's.
    server.join()

strategy = tf.distribute.ParameterServerStrategy(resolver)
coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
with strategy.scope():
    weight = tf.Variable(1.0)


@tf.function
def step() -> tf.Tensor:
    """Returns the device that the step ran on, after it has halved the weight's distance to 3."""
    with tf.GradientTape() as tape:
        loss = tf.square(weight - 3.0)
    weight.assign_sub(0.25 * tape.gradient(loss, weight))
    return loss


for _ in range(4):
    coordinator.schedule(step)
    coordinator.join()
devices = tf.config.list_logical_devices()
report["devices"] = sorted({f"{device.name.split('/')[1]}/{device.name.split('/')[3]}" for device in devices})
report["variable"] = weight.device
report["weight"] = float(weight.numpy())
print(json.dumps(report), flush=True)
