"""Certificate authorities in files, which sign CertificateSigningRequests."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from memkube.controllers.certificates.authority import SigningKey
from memkube.controllers.certificates.authority_files import read_authority
from memkube.controllers.options import ControllerOptions, SigningFiles
from tests.controllers.certificates.signing_requests import certificate, create, decide, request_pem
from tests.controllers.cluster import running

pytestmark = pytest.mark.anyio
CONTROLLER = "certificatesigningrequest-signing-controller"
KEYS: Final[dict[str, Callable[[], SigningKey]]] = {
    "rsa": lambda: generate_private_key(65537, 2048),
    "p256": lambda: ec.generate_private_key(ec.SECP256R1()),
    "p384": lambda: ec.generate_private_key(ec.SECP384R1()),
    "p521": lambda: ec.generate_private_key(ec.SECP521R1()),
    "ed25519": Ed25519PrivateKey.generate,
}


def write(folder: Path, name: str, key: SigningKey, *, has_key_identifier: bool = True) -> SigningFiles:
    """Write the certificate and the key of an authority with this common name."""
    subject, now = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]), datetime.now(UTC)
    builder = x509.CertificateBuilder(subject, subject, key.public_key(), x509.random_serial_number())
    builder = builder.not_valid_before(now).not_valid_after(now + timedelta(days=9999))
    builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
    if has_key_identifier:
        identifier = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
        builder = builder.add_extension(identifier, critical=False)
    made = builder.sign(key, None if isinstance(key, Ed25519PrivateKey) else SHA256())
    files = SigningFiles(folder / "ca.crt", folder / "ca.key")
    files.certificate.write_bytes(made.public_bytes(Encoding.PEM))
    files.key.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    return files


async def issued(files: SigningFiles, *, renewed_key: SigningKey | None = None) -> x509.Certificate:
    """Return a certificate that a cluster with the authority in `files` issues.

    If `renewed_key` is given, the files are overwritten with the authority "renewed" before.
    """
    async with running(CONTROLLER, options=ControllerOptions(signing_files=files)) as cluster:
        if renewed_key is not None:
            write(files.key.parent, "renewed", renewed_key)
        await create(cluster, request_pem())
        await decide(cluster)
        found = await certificate(cluster)
        assert found is not None
        return found


@pytest.mark.parametrize(
    ("key", "digest"),
    [("rsa", "sha256"), ("p256", "sha256"), ("p384", "sha384"), ("p521", "sha512"), ("ed25519", None)],
)
async def test_the_authority_in_files_signs_with_the_hash_for_its_key(
    tmp_path: Path, key: str, digest: str | None
) -> None:
    files = write(tmp_path, "mine", KEYS[key]())
    found = await issued(files)
    found.verify_directly_issued_by(read_authority(files).certificate)
    algorithm = found.signature_hash_algorithm
    assert (algorithm.name if algorithm else None) == digest


@pytest.mark.parametrize("has_key_identifier", [True, False])
async def test_a_certificate_names_the_key_of_its_authority_if_the_authority_does(
    tmp_path: Path, has_key_identifier: bool
) -> None:
    found = await issued(write(tmp_path, "mine", KEYS["p256"](), has_key_identifier=has_key_identifier))
    kinds = [type(extension.value) for extension in found.extensions]
    assert (x509.AuthorityKeyIdentifier in kinds) is has_key_identifier


async def test_changed_files_are_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memkube.auth.authentication.changing_files._PAUSE", 0)
    found = await issued(write(tmp_path, "first", KEYS["p256"]()), renewed_key=KEYS["p256"]())
    assert found.issuer.rfc4514_string() == "CN=renewed"


def test_a_key_of_another_certificate_is_refused(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    other = write(tmp_path / "other", "other", KEYS["p256"]())
    files = write(tmp_path, "mine", KEYS["p256"]())._replace(key=other.key)
    with pytest.raises(ValueError, match="is not that of the certificate"):
        read_authority(files)


def test_two_certificates_in_the_file_are_refused(tmp_path: Path) -> None:
    files = write(tmp_path, "mine", KEYS["p256"]())
    files.certificate.write_bytes(files.certificate.read_bytes() * 2)
    with pytest.raises(ValueError, match="expected 1 certificate, found 2"):
        read_authority(files)


def test_missing_files_are_an_error_in_one_line(tmp_path: Path) -> None:
    files = SigningFiles(tmp_path / "ca.crt", tmp_path / "ca.key")
    with pytest.raises(ValueError, match=r"cannot read the signing authority in .*: No such file or directory$"):
        read_authority(files)
