"""Where replicas listen: a port of its own each, whatever else listens on the machine."""

from __future__ import annotations

import socket

import pytest

from sandbox.vertex import addresses
from sandbox.vertex.addresses import Addresses, NoAddress


def ports(*jobs: Addresses) -> list[int]:
    return [int(member.rpartition(":")[2]) for job in jobs for member in job.members]


def test_jobs_share_no_port_and_replicas_no_host(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(addresses, "_PORTS", range(21000, 21012))
    jobs = [Addresses(3) for _ in range(3)]
    assert len(set(ports(*jobs))) == 9
    assert len({member.partition(":")[0] for member in jobs[0].members}) == 3


def test_a_port_on_which_anybody_listens_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        taken = listener.getsockname()[1]
        monkeypatch.setattr(addresses, "_PORTS", range(taken, taken + 20))
        assert taken not in ports(Addresses(5))


def test_a_job_s_ports_are_free_again_once_it_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(addresses, "_PORTS", range(21100, 21103))
    ended = Addresses(3)
    first = sorted(ports(ended))
    del ended
    assert sorted(ports(Addresses(3))) == first


def test_no_port_left_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(addresses, "_PORTS", range(21200, 21202))
    monkeypatch.setattr(addresses, "_MOST_TRIES", 100)
    with pytest.raises(NoAddress, match="21201"):
        Addresses(3)


def test_a_machine_without_such_addresses_is_said_and_not_searched_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    # 192.0.2.0/24 is nobody's (RFC 5737).
    monkeypatch.setattr(addresses, "_FIRST", 0xC0000201)
    monkeypatch.setattr(addresses, "_LAST", 0xC0000280)
    with pytest.raises(NoAddress, match=r"192\.0\.2\."):
        Addresses(1)
