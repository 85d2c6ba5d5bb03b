"""Under which address people reach the server, and from where a request comes.

Each request must name the right host, and its origin, if it has one, must be the page of the server itself. So a web page of
somebody else can't use the server through the browser of a user, not even by a name that it lets point to this computer.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from tercet.errors import InvalidOption
from tercet.server.problems import Problem

LOCAL = ("127.0.0.1", "localhost", "[::1]")
PORTS = {"http": 80, "https": 443}
OWN_SITES = ("same-origin", "none")  # values of Sec-Fetch-Site for requests of our page, and of no page


@dataclass(frozen=True)
class Address:
    """The addresses of a server: the hosts that requests may name, the origins of its page, and the prefix of its paths.

    >>> sorted(Address.local(8420).hosts)
    ['127.0.0.1:8420', '[::1]:8420', 'localhost:8420']
    >>> team = Address.public("https://tercet.example/reviews/")
    >>> sorted(team.hosts), team.prefix, team.is_secure
    (['tercet.example', 'tercet.example:443'], '/reviews', True)
    """

    hosts: frozenset[str]
    origins: frozenset[str]
    prefix: str = ""
    is_secure: bool = False

    @classmethod
    def local(cls, port: int) -> "Address":
        """The addresses of this computer alone."""
        hosts = {f"{name}:{port}" for name in LOCAL} | (set(LOCAL) if port == 80 else set())
        return cls(frozenset(hosts), frozenset(f"http://{host}" for host in hosts))

    @classmethod
    def public(cls, url: str) -> "Address":
        """The address that other computers use."""
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError:
            parts, port = urlsplit(""), None
        if parts.scheme not in PORTS or not parts.hostname or parts.query or parts.fragment or parts.username:
            raise InvalidOption(f"--url must be an address such as https://tercet.example/reviews, got {url!r}.")
        name = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
        own = PORTS[parts.scheme]
        hosts = {f"{name}:{port or own}"} | ({name} if port in (None, own) else set())
        prefix = parts.path.rstrip("/")
        return cls(frozenset(hosts), frozenset(f"{parts.scheme}://{host}" for host in hosts), prefix, parts.scheme == "https")

    def check(self, headers: Headers, path: str) -> None:
        """Raise a Problem if a request names another host, or comes from the page of another server."""
        hosts = headers.getlist("host")
        if len(hosts) != 1 or hosts[0].lower() not in self.hosts:
            raise Problem(421, "wrong_host", "this server is not called like that: use the address that it has printed.")
        origins = headers.getlist("origin")
        if any(origin.lower() not in self.origins for origin in origins):
            raise Problem(403, "wrong_origin", "a page of another address may not use this server.")
        if path.startswith("/api/") and headers.get("sec-fetch-site", "none") not in OWN_SITES:
            raise Problem(403, "wrong_origin", "a page of another address may not use this server.")


class CheckAddress:
    """The middleware that checks each request, takes the prefix off its path, and finds out which computer sent it."""

    def __init__(self, app: ASGIApp, address: Address, proxies: Sequence[str]) -> None:
        self.app, self.address, self.proxies = app, address, [read_network(proxy) for proxy in proxies]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            headers = Headers(scope=scope)
            prefix, path = self.address.prefix, scope["path"]
            if prefix and (path == prefix or path.startswith(f"{prefix}/")):
                path = path[len(prefix) :] or "/"
                scope = {**scope, "path": path, "raw_path": path.encode()}
            self.address.check(headers, path)
            scope["state"]["client"] = resolve_client(scope, headers, self.proxies)
        await self.app(scope, receive, send)


def resolve_client(scope: Scope, headers: Headers, proxies: Sequence[IPv4Network | IPv6Network]) -> str:
    """The address of the client. What a header says of it counts only if a known proxy has written it."""
    found = (scope.get("client") or ("unknown",))[0]
    if not is_in(found, proxies):
        return str(found)
    named = [name.strip() for line in headers.getlist("x-forwarded-for") for name in line.split(",")]
    # From the right: each proxy appends the address that it has seen.
    return next((name for name in reversed(named) if not is_in(name, proxies)), str(found))


def is_in(address: str, networks: Sequence[IPv4Network | IPv6Network]) -> bool:
    try:
        return any(ip_address(address) in network for network in networks)
    except ValueError:
        return False


def read_network(written: str) -> IPv4Network | IPv6Network:
    """The addresses of proxies.

    >>> read_network("10.0.0.0/8").num_addresses, read_network("::1").num_addresses
    (16777216, 1)
    """
    try:
        return ip_network(written, strict=False)
    except ValueError:
        raise InvalidOption(f"--proxy must be an address such as 10.0.0.5 or 10.0.0.0/8, got {written!r}.") from None


def is_local(host: str) -> bool:
    """Whether only this computer can reach an address.

    >>> is_local("127.0.0.1"), is_local("localhost"), is_local("0.0.0.0")
    (True, True, False)
    """
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
