"""The image: the packages that it has, with their hashes, and what its server trusts."""

import re
import tomllib
from ipaddress import ip_address, ip_network
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
PIN = re.compile(r"^([a-z0-9-]+)==([^ ]+)(?: ; [^\\]+)? \\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)", re.MULTILINE)


def read_pins(name: str) -> dict[str, str]:
    return {package: version for package, version, _ in PIN.findall((ROOT / name).read_text())}


def list_wanted() -> list[Requirement]:
    extras = re.search(r"IMAGE_EXTRAS = (.+)", (ROOT / "Makefile").read_text())
    assert extras is not None
    written = [
        *PROJECT["dependencies"],
        *(each for extra in extras[1].split() for each in PROJECT["optional-dependencies"][extra]),
    ]
    return [Requirement(each) for each in written if not each.startswith("tercet[")]


def test_the_image_has_a_good_version_of_every_package_that_it_needs() -> None:
    pins = read_pins("constraints.txt")
    found = {str(each): pins.get(each.name.lower()) for each in list_wanted()}
    assert [wanted for wanted, version in found.items() if version is None] == []
    assert [each for each in list_wanted() if pins[each.name.lower()] not in each.specifier] == []


@pytest.mark.parametrize("name", ["constraints.txt", "constraints-build.txt"])
def test_every_package_of_the_image_has_hashes_and_no_host(name: str) -> None:
    written = (ROOT / name).read_text()
    assert PIN.sub("", written) == ""
    assert f"--require-hashes -r {name}" in re.sub(r"--only-binary :all: ", "", (ROOT / "Dockerfile").read_text())


def test_the_team_server_trusts_one_address_of_a_network_of_its_own() -> None:
    written = (ROOT / "compose.yaml").read_text()
    (proxy,) = re.findall(r"--proxy=(\S+)", written)
    (subnet,), (gateway,) = re.findall(r"subnet: (\S+)", written), re.findall(r"gateway: (\S+)", written)
    assert proxy == gateway
    assert ip_address(proxy) in ip_network(subnet)
    assert "networks: [front, back]" in written.split("  database:\n    image")[0]
    assert "networks: [back]" in written.split("  database:\n    image")[1]
