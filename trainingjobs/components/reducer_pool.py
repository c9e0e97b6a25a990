"""Reducers on Compute Engine: a managed instance group of VMs with names known beforehand, sized by the plan.

Container-Optimized OS runs the server's image. There is no autoscaler: fewer reducers than planned are a slower job.
"""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING

import pulumi

from trainingjobs.components import tokens
from trainingjobs.components.gcp import declare
from trainingjobs.components.network import NetworkHandles
from trainingjobs.components.node_pool import SCOPES
from trainingjobs.plan.infrastructure import ReducerVms
from trainingjobs.plan.ports import SERVER_PORT

if TYPE_CHECKING:
    from trainingjobs.wire import google

IMAGE = "projects/cos-cloud/global/images/family/cos-stable"
# A server whose image is still being pulled must not be taken for a dead one.
INITIAL_DELAY_SECONDS = 600
METADATA = "http://metadata.google.internal/computeMetadata/v1/instance/name"
INDEX = "__INDEX__"


class ReducerVmPool(pulumi.ComponentResource):
    """The VMs of one job's reducers; `cluster_spec` has __INDEX__ where each VM's own index goes."""

    def __init__(
        self,
        vms: ReducerVms,
        cluster_spec: str,
        project: str,
        account: str | None,
        network: NetworkHandles,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        name = vms.name
        members = [f"{name}-{index}" for index in range(vms.count)]
        props = {
            "job": vms.job,
            "machineType": vms.machine_type,
            "replicaCount": vms.count,
            "tier1": vms.tier1,
            "zone": vms.zone,
            "imageUri": vms.container.image_uri,
            "instances": members,
        }
        super().__init__(tokens.REDUCER_VMS, name, props, opts)
        child = pulumi.ResourceOptions(parent=self)
        body = template_body(vms, cluster_spec, project, account, network.subnetwork)
        template = declare(tokens.INSTANCE_TEMPLATE)(f"{name}-template", body, child, ("selfLinkUnique",))
        check = declare(tokens.HEALTH_CHECK)(
            f"{name}-health",
            {
                "project": project,
                "name": f"{name}-health",
                "tcpHealthCheck": {"port": SERVER_PORT},
                "checkIntervalSec": 10,
                "timeoutSec": 5,
                "unhealthyThreshold": 6,
            },
            child,
            ("selfLink",),
        )
        group = declare(tokens.INSTANCE_GROUP_MANAGER)(
            f"{name}-group",
            {
                "project": project,
                "zone": vms.zone,
                "name": name,
                "baseInstanceName": name,
                "versions": [{"instanceTemplate": template.output("selfLinkUnique")}],
                "namedPorts": [{"name": "server", "port": SERVER_PORT}],
                "autoHealingPolicies": {
                    "healthCheck": check.output("selfLink"),
                    "initialDelaySec": INITIAL_DELAY_SECONDS,
                },
                # RECREATE keeps the names; a surge would need new ones.
                "updatePolicy": {
                    "type": "PROACTIVE",
                    "minimalAction": "REPLACE",
                    "replacementMethod": "RECREATE",
                    "maxSurgeFixed": 0,
                    "maxUnavailableFixed": vms.count,
                },
            },
            child,
            ("instanceGroup",),
        )
        for member in members:
            # A group invents names; an instance's own configuration makes it under the name that trainers know.
            declare(tokens.PER_INSTANCE_CONFIG)(
                member,
                {
                    "project": project,
                    "zone": vms.zone,
                    "instanceGroupManager": pulumi.get(group, "name"),
                    "name": member,
                    "removeInstanceOnDestroy": True,
                    "removeInstanceStateOnDestroy": True,
                },
                child,
            )
        self.register_outputs(props)


def template_body(
    vms: ReducerVms, cluster_spec: str, project: str, account: str | None, subnetwork: pulumi.Input[str]
) -> google.ComputeInstanceTemplate:
    """Returns the instance template's properties."""
    disk: google.ComputeInstanceTemplateDisk = {"boot": True, "autoDelete": True, "sourceImage": IMAGE}
    if vms.boot_disk_type:
        disk["diskType"] = vms.boot_disk_type
    if vms.boot_disk_size_gb:
        disk["diskSizeGb"] = vms.boot_disk_size_gb
    body: google.ComputeInstanceTemplate = {
        "project": project,
        "machineType": vms.machine_type,
        "disks": [disk],
        "networkInterfaces": [{"nicType": "GVNIC", "subnetwork": subnetwork}],
        "metadata": {"user-data": cloud_init(vms, cluster_spec), "google-logging-enabled": "true"},
        "labels": {"training-job": vms.job, "training-role": "reducer"},
        "shieldedInstanceConfig": {"enableSecureBoot": True, "enableVtpm": True, "enableIntegrityMonitoring": True},
        "scheduling": _scheduling(vms.strategy),
    }
    if account is not None:
        body["serviceAccount"] = {"email": account, "scopes": SCOPES}
    if vms.tier1:
        body["networkPerformanceConfig"] = {"totalEgressBandwidthTier": "TIER_1"}
    if vms.min_cpu_platform:
        body["minCpuPlatform"] = vms.min_cpu_platform
    return body


def _scheduling(strategy: str) -> google.ComputeInstanceTemplateScheduling:
    if strategy in ("SPOT", "LOW_COST"):
        return {
            "provisioningModel": "SPOT",
            "preemptible": True,
            "automaticRestart": False,
            "instanceTerminationAction": "STOP",
        }
    return {"provisioningModel": "STANDARD", "automaticRestart": True, "onHostMaintenance": "MIGRATE"}


def cloud_init(vms: ReducerVms, cluster_spec: str) -> str:
    """Returns the cloud-config that runs the server: JSON is YAML."""
    registry = str(vms.container.image_uri).partition("/")[0]
    unit = "\n".join(
        (
            "[Unit]",
            "Wants=gcr-online.target",
            "After=gcr-online.target",
            "[Service]",
            "Environment=HOME=/home/reducer",
            f"ExecStartPre=/usr/bin/docker-credential-gcr configure-docker --registries={shlex.quote(registry)}",
            # Container-Optimized OS lets nothing in but SSH; the VPC's firewall decides who may ask.
            "ExecStartPre=/sbin/iptables -w -A INPUT -p tcp -j ACCEPT",
            "ExecStartPre=-/usr/bin/docker rm -f reducer",
            "ExecStart=/bin/bash /etc/reducer/start.sh",
            "Restart=always",
            "RestartSec=5",
            "",
        )
    )
    config = {
        "write_files": [
            {"path": "/etc/reducer/cluster-spec.json", "permissions": "0644", "content": cluster_spec},
            {"path": "/etc/reducer/start.sh", "permissions": "0755", "content": start_script(vms)},
            {"path": "/etc/systemd/system/reducer.service", "permissions": "0644", "content": unit},
        ],
        "runcmd": ["systemctl daemon-reload", "systemctl start reducer.service"],
    }
    return "#cloud-config\n" + json.dumps(config, indent=1, sort_keys=True)


def start_script(vms: ReducerVms) -> str:
    """Returns what starts the server: the VM's name says which of CLUSTER_SPEC's members it is."""
    runs = vms.container
    variables = {"PORT": str(SERVER_PORT), **(runs.env or {})}
    words = ["docker", "run", "--rm", "--name", "reducer", "--network", "host", "--shm-size", "2g"]
    for key, value in sorted(variables.items()):
        words += ["--env", f"{key}={value}"]
    command = list(runs.command or ())
    if command:
        words += ["--entrypoint", command[0]]
    after = [str(runs.image_uri), *command[1:], *(runs.args or ())]
    return "\n".join(
        (
            "#!/bin/bash",
            "set -euo pipefail",
            f"name=$(curl -sf -H 'Metadata-Flavor: Google' {METADATA})",
            f'spec=$(sed "s/{INDEX}/${{name##*-}}/" /etc/reducer/cluster-spec.json)',
            f'exec {shlex.join(words)} --env "CLUSTER_SPEC=$spec" {shlex.join(after)}',
            "",
        )
    )
