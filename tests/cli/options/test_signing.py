"""Options for the authority that signs CertificateSigningRequests."""

from pathlib import Path

import pytest

from memkube.cli.options.signing import SigningOptions
from memkube.errors import UsageError


def test_without_the_options_there_are_no_files() -> None:
    assert SigningOptions().files() is None


@pytest.mark.parametrize("option", ["cluster_signing_cert_file", "cluster_signing_key_file"])
def test_one_option_needs_the_other(option: str) -> None:
    with pytest.raises(UsageError, match="need each other"):
        SigningOptions(**{option: Path("ca.pem")}).files()


def test_unreadable_files_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="cannot read the signing authority"):
        SigningOptions(tmp_path / "ca.crt", tmp_path / "ca.key").files()
