"""Under which address people reach the server, and from where a request comes.

Each request must name the right host, and its origin, if it has one, must be the page of the server itself. So a web page of
somebody else can't use the server through the browser of a user, not even by a name that it lets point to this computer.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
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
    """The address of the client, as `name_client` names it. What a header says counts only if a known proxy has written it."""
    found = str((scope.get("client") or ("unknown",))[0])
    if not is_in(found, proxies):
        return name_client(found)
    named = [name.strip() for line in headers.getlist("x-forwarded-for") for name in line.split(",")]
    # From the right: each proxy appends the address that it has seen.
    return name_client(next((name for name in reversed(named) if not is_in(name, proxies)), found))


def read_address(written: str) -> IPv4Address | IPv6Address | None:
    """An IP address, also with a port, as some proxies write it; None if it is none.

    >>> read_address("10.0.0.1:5000"), read_address("[2001:db8::1]:5000"), read_address("::ffff:10.0.0.1"), read_address("here")
    (IPv4Address('10.0.0.1'), IPv6Address('2001:db8::1'), IPv4Address('10.0.0.1'), None)
    """
    if written.startswith("["):
        written = written[1:].partition("]")[0]
    elif written.count(":") == 1:
        written = written.partition(":")[0]
    try:
        found = ip_address(written)
    except ValueError:
        return None
    return found.ipv4_mapped or found if isinstance(found, IPv6Address) else found


def name_client(written: str) -> str:
    """How a client is named where its requests and log-ins are counted: IPv6 by /64, which is what one customer gets at least.

    >>> name_client("10.0.0.1"), name_client("2001:db8:1:2:3:4:5:6"), name_client("::ffff:10.0.0.1"), name_client("testclient")
    ('10.0.0.1', '2001:db8:1:2::/64', '10.0.0.1', 'testclient')
    """
    found = read_address(written)
    if isinstance(found, IPv6Address):
        return str(IPv6Network((int(found), 64), strict=False))
    return written if found is None else str(found)


def is_in(address: str, networks: Sequence[IPv4Network | IPv6Network]) -> bool:
    found = read_address(address)
    return found is not None and any(found in network for network in networks)


def read_network(written: str) -> IPv4Network | IPv6Network:
    """The addresses of proxies.

    >>> read_network("10.0.0.0/8").num_addresses, read_network("::1").num_addresses
    (16777216, 1)
    """
    try:
        found = ip_network(written, strict=False)
    except ValueError:
        raise InvalidOption(f"--proxy must be an address such as 10.0.0.5 or 10.0.0.0/8, got {written!r}.") from None
    if found.prefixlen == 0:
        raise InvalidOption(
            f"--proxy {written} would trust every computer: each client could say that it is another one, and guess passwords "
            "without a limit. Name the address of the proxy."
        )
    return found


def describe_trust(proxies: Sequence[str]) -> list[str]:
    """What follows from each --proxy, in words.

    >>> for line in describe_trust(["127.0.0.1", "10.0.0.5", "10.0.0.0/28"]): print(line)
    --proxy 127.0.0.1: the header X-Forwarded-For is trusted from every program and user of this computer
    --proxy 10.0.0.5: the header X-Forwarded-For is trusted from every program at this address
    --proxy 10.0.0.0/28: the header X-Forwarded-For is trusted from every program at these 16 addresses
    """
    return [
        f"--proxy {proxy}: the header X-Forwarded-For is trusted from every program {name_place(read_network(proxy))}"
        for proxy in proxies
    ]


def name_place(network: IPv4Network | IPv6Network) -> str:
    if network.is_loopback:
        return "and user of this computer"
    return "at this address" if network.num_addresses == 1 else f"at these {network.num_addresses:,} addresses"


def is_local(host: str) -> bool:
    """Whether only this computer can reach an address.

    >>> is_local("127.0.0.1"), is_local("localhost"), is_local("0.0.0.0")
    (True, True, False)
    """
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
