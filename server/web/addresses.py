"""Where a request comes from, and how often one address may ask."""

from __future__ import annotations

import ipaddress
import time

from starlette.types import Scope

from server.protocol.connections import Bucket

NETWORK_BITS = 64
"""Of an IPv6 address: who has one has the whole network."""
MOST_ADDRESSES = 10_000


def address_group(host: str) -> str:
    """What counts as one address: an IPv4 address, or the network of an IPv6 address."""
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return host[:64]
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return str(address.ipv4_mapped)
        return str(ipaddress.ip_network((address, NETWORK_BITS), strict=False))
    return str(address)


def client_address(scope: Scope) -> str:
    """What a request counts for; behind a trusted proxy that is the address which the proxy forwards."""
    client = scope.get("client")
    return address_group(client[0]) if client else ""


class AddressLimit:
    """A rate limit for each address by itself."""

    def __init__(self, rate: float, burst: float) -> None:
        self.rate = rate
        self.burst = burst
        self.buckets: dict[str, Bucket] = {}
        self.swept_at = time.monotonic()

    def allows(self, address: str) -> bool:
        """Whether an address may ask once more now; it is counted if so."""
        now = time.monotonic()
        if len(self.buckets) > MOST_ADDRESSES or now - self.swept_at > 60:
            self.buckets = {name: bucket for name, bucket in self.buckets.items() if not bucket.full}
            self.swept_at = now
        if address not in self.buckets:
            self.buckets[address] = Bucket(self.rate, self.burst)
        return self.buckets[address].take()
