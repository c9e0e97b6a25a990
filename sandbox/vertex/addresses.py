"""Where replicas listen: an address on loopback and a port of its own for each, reserved while the job runs.

Replicas of the service have hosts of their own and all the same port. Here they share one machine, and a server that
listens on every address (TensorFlow's does, whatever its own one is) would have to share a port: hence a port each.
"""

from __future__ import annotations

import errno
import ipaddress
import secrets
import socket

_FIRST, _LAST = (int(ipaddress.IPv4Address(text)) for text in ("127.1.0.1", "127.254.255.254"))
# Below the ports that Linux gives to outgoing connections, which could take one before its replica listens.
_PORTS = range(20000, 32768)
_MOST_TRIES = 10 * len(_PORTS)


class NoAddress(Exception):
    """The machine has no address for a replica; one message."""


class Addresses:
    """The addresses of one job's replicas. No other job on this machine gets their ports while this object lives."""

    def __init__(self, count: int) -> None:
        """Reserves `count` addresses. Raises NoAddress."""
        self._reservations: list[socket.socket] = []
        # A random block out of 16 million: jobs whose replicas listen on their own address do not meet either.
        first = _FIRST + secrets.randbelow(_LAST - _FIRST - count)
        hosts = [str(ipaddress.IPv4Address(first + offset)) for offset in range(count)]
        self.members = [f"{host}:{self._port(host)}" for host in hosts]

    def _port(self, host: str) -> int:
        for _ in range(_MOST_TRIES):
            port = secrets.choice(_PORTS)
            if (reservation := _reserve(port)) is None:
                continue
            if _is_free(host, port):
                self._reservations.append(reservation)
                return port
            reservation.close()
        raise NoAddress(f"every port from {_PORTS.start} to {_PORTS.stop - 1} is in use")


def _reserve(port: int) -> socket.socket | None:
    """Returns what holds the port among all sandboxes of the machine until it is closed, or None where one has it."""
    # An abstract name: nothing on disk, and gone with the process that holds it.
    reservation = socket.socket(socket.AF_UNIX)
    try:
        reservation.bind(f"\0training-sandbox-port-{port}")
    except OSError as error:
        reservation.close()
        if error.errno != errno.EADDRINUSE:
            raise
        return None
    return reservation


def _is_free(host: str, port: int) -> bool:
    """Returns whether nobody listens at the port, on whatever address. Raises NoAddress where `host` is not usable."""
    for address in (host, ""):
        with socket.socket() as probe:
            try:
                probe.bind((address, port))
            except OSError as error:
                if error.errno == errno.EADDRINUSE:
                    return False
                raise NoAddress(
                    f"a replica cannot listen at {address or 'any address'}: {error.strerror}; "
                    "each needs an address of its own in 127.0.0.0/8"
                ) from None
    return True
