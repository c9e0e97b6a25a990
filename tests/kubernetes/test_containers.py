"""A container as a local process: what of its pod reaches its environment and arguments."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sandbox.kubernetes.containers import (
    Command,
    ConfigurationError,
    announced_address,
    command_of,
    local_address,
    pod_address,
)
from sandbox.vertex.images import ImageError

LOOKED_UP = {("ConfigMap", "settings"): {"A": "1"}, ("Secret", "keys"): {"token": "s3"}}


@pytest.fixture(autouse=True)
def images(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "images.json").write_text(json.dumps({"registry.example/train": {"entrypoint": ["serve"]}}))
    monkeypatch.setenv("TRAINING_SANDBOX_IMAGES", str(tmp_path / "images.json"))


def command(folder: Path, **fields: Any) -> Command:
    spec = {"name": "trainer", "image": "registry.example/train:1", **fields}
    meta = {"name": "demo-worker-0", "namespace": "team", "uid": "u1", "labels": {"index": "0"}}
    pod = {"metadata": meta, "spec": {"containers": [spec], "serviceAccountName": "trainer"}}
    return command_of(pod, spec, folder, lambda kind, name: LOOKED_UP.get((kind, name)))


def variable(folder: Path, name: str = "V", **entry: Any) -> str | None:
    return command(folder, env=[{"name": name, **entry}]).environment.get(name)


def test_addresses_are_loopback_stable_and_distinct() -> None:
    addresses = {local_address("team", f"demo-worker-{number}") for number in range(100)}
    assert len(addresses) == 100
    assert all(address.startswith("127.") for address in addresses)
    assert local_address("team", "a") == local_address("team", "a") != local_address("other", "a")


def test_the_announced_address_is_no_loopback_address() -> None:
    pod = {"metadata": {"name": "a", "namespace": "team"}, "spec": {"hostname": "primary-0"}}
    assert pod_address(pod) == local_address("team", "primary-0")
    assert announced_address(pod).startswith("10.")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("demo-ps-0.team.svc:2222", "{demo-ps-0}:2222"),
        ("demo-ps-0.team.svc.cluster.local:2222", "{demo-ps-0}:2222"),
        ("train-worker-0-1.train.team.svc:2222", "{train-worker-0-1}:2222"),
        ('{"ps":["a.team.svc:1","b.team.svc:1"]}', '{"ps":["{a}:1","{b}:1"]}'),
        ("a.other.svc:1", "a.other.svc:1"),
        ("gs://a.team.svcs/x", "gs://a.team.svcs/x"),
    ],
)
def test_names_of_pods_become_their_addresses(tmp_path: Path, text: str, expected: str) -> None:
    for host in ("demo-ps-0", "train-worker-0-1", "a", "b"):
        expected = expected.replace("{" + host + "}", local_address("team", host))
    assert variable(tmp_path, value=text) == expected
    assert command(tmp_path, args=[text]).argv == ["serve", expected]


def test_the_bare_name_of_the_master_becomes_its_address(tmp_path: Path) -> None:
    assert variable(tmp_path, "MASTER_ADDR", value="demo-master-0") == local_address("team", "demo-master-0")
    assert variable(tmp_path, "MASTER_ADDR", value="10.0.0.1") == "10.0.0.1"
    assert variable(tmp_path, "GREETING", value="demo-master-0") == "demo-master-0"


def test_command_replaces_the_entrypoint_and_variables_are_expanded(tmp_path: Path) -> None:
    env = [{"name": "N", "value": "2"}, {"name": "M", "value": "$(N)x"}]
    made = command(tmp_path, command=["train"], args=["--n=$(M)", "$$(N)", "$(NONE)"], env=env)
    assert made.argv == ["train", "--n=2x", "$(N)", "$(NONE)"]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ({"fieldRef": {"fieldPath": "metadata.name"}}, "demo-worker-0"),
        ({"fieldRef": {"fieldPath": "metadata.labels['index']"}}, "0"),
        ({"fieldRef": {"fieldPath": "spec.serviceAccountName"}}, "trainer"),
        ({"fieldRef": {"fieldPath": "status.podIP"}}, local_address("team", "demo-worker-0")),
        ({"configMapKeyRef": {"name": "settings", "key": "A"}}, "1"),
        ({"secretKeyRef": {"name": "keys", "key": "token"}}, "s3"),
        ({"secretKeyRef": {"name": "none", "key": "token", "optional": True}}, None),
    ],
)
def test_references_are_followed(tmp_path: Path, source: dict[str, Any], expected: str | None) -> None:
    assert variable(tmp_path, valueFrom=source) == expected


@pytest.mark.parametrize("reference", [{"name": "none", "key": "A"}, {"name": "settings", "key": "B"}])
def test_a_reference_that_leads_nowhere_is_said(tmp_path: Path, reference: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError, match=reference["name"]):
        variable(tmp_path, valueFrom={"configMapKeyRef": reference})


def test_everything_of_a_config_map_with_a_prefix(tmp_path: Path) -> None:
    made = command(tmp_path, envFrom=[{"prefix": "P_", "configMapRef": {"name": "settings"}}])
    assert made.environment["P_A"] == "1"


def test_what_a_container_writes_beside_its_files_goes_with_its_pod(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "train.py").write_text("train")
    (tmp_path / "images.json").write_text(json.dumps({"registry.example/train": {"cwd": str(source)}}))
    folder = command(tmp_path).cwd
    assert (folder / "train.py").read_text() == "train"
    (folder / "model").write_text("trained")
    assert [path.name for path in source.iterdir()] == ["train.py"]
    assert folder.is_relative_to(tmp_path / "scratch" / "u1")


def test_an_image_that_stands_for_nothing_is_said(tmp_path: Path) -> None:
    with pytest.raises(ImageError, match=r"registry\.example/other"):
        command(tmp_path, image="registry.example/other:1")
