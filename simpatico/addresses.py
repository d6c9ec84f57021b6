"""Which addresses nobody else can reach."""

from __future__ import annotations

from ipaddress import ip_address


def is_loopback(host: str) -> bool:
    """Whether a host is this machine in any case, and not by what a resolver makes of it.

    Names such as 127.0.0.1.example.com, localhost. and 127.1 are looked up, so they are not.
    """
    try:
        address = ip_address(host)
    except ValueError:
        return host.lower() == "localhost"
    # Python before 3.13 does not count ::ffff:127.0.0.1 itself as loopback
    return bool((getattr(address, "ipv4_mapped", None) or address).is_loopback)
