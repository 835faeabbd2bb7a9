from pathlib import Path
from typing import Any

import pytest

from memkube.storage.etcd.options import EtcdOptions

CA = Path("ca.pem")


def test_several_members_are_given_with_commas() -> None:
    options = EtcdOptions.of("http://one:2379,http://two:4001,http://three")
    assert options.endpoints == ("one:2379", "two:4001", "three:2379")
    assert not options.secure


def test_a_user_stands_before_the_first_host() -> None:
    options = EtcdOptions.of("https://root:a%40b@one:2379", ca_file=CA)
    assert (options.user, options.password, options.secure) == ("root", "a@b", True)


@pytest.mark.parametrize(
    ("text", "more", "why"),
    [
        ("one:2379", {}, "invalid address of etcd"),
        ("http://one,https://two", {}, "invalid address of etcd"),
        ("http://one/v3", {}, "must not have a path"),
        ("http://one", {"ca_file": CA}, "begins with https"),
        ("https://one", {"cert_file": CA}, "must be given together"),
        ("http://one", {"prefix": "registry"}, "must begin with a slash"),
        ("http://one", {"prefix": "/registry/"}, "not end with one"),
    ],
)
def test_what_makes_no_sense_is_refused(text: str, more: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        EtcdOptions.of(text, **more)
