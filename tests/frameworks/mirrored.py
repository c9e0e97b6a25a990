"""One replica of MultiWorkerMirroredStrategy: says the world that it sees, trains a step, and says what came out."""

from __future__ import annotations

import json

import tensorflow as tf

strategy = tf.distribute.MultiWorkerMirroredStrategy()
resolver = strategy.cluster_resolver
rank = resolver.task_id + (resolver.task_type == "worker")
with strategy.scope():
    weight = tf.Variable(4.0)


@tf.function
def train() -> tuple[tf.Tensor, tf.Tensor]:
    """Returns the sum of all ranks, and the weight after one step on each replica's own example."""

    def step() -> tf.Tensor:
        # Each replica pulls the weight to its own rank: the sum of the gradients is the world's.
        with tf.GradientTape() as tape:
            loss = tf.square(weight - tf.constant(float(rank)))
        context = tf.distribute.get_replica_context()
        gradient = context.all_reduce(tf.distribute.ReduceOp.SUM, tape.gradient(loss, weight))
        weight.assign_sub(0.1 * gradient / strategy.num_replicas_in_sync)
        return tf.constant(float(rank))

    return strategy.reduce(tf.distribute.ReduceOp.SUM, strategy.run(step), axis=None), weight.read_value()


ranks, trained = train()
report = {
    "task": [resolver.task_type, resolver.task_id],
    "cluster": resolver.cluster_spec().as_dict(),
    "replicas": strategy.num_replicas_in_sync,
    "ranks": float(ranks),
    "weight": float(trained),
}
print(json.dumps(report), flush=True)
