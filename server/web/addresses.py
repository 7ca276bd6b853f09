"""Where a request comes from, as far as limits for one address are concerned."""

from __future__ import annotations

import ipaddress

from starlette.types import Scope

NETWORK_BITS = 64
"""Of an IPv6 address: who has one has the whole network."""


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
