from collections.abc import Sequence
from datetime import timedelta

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import ExtendedKeyUsageOID, ExtensionOID, NameOID

from memkube.controllers.certificates.authority import CertificateAuthority
from memkube.controllers.certificates.requested import RequestedCertificate
from tests.controllers.certificates.signing_requests import (
    CLIENT,
    DNS,
    EMAIL,
    IP,
    KUBELET_CLIENT,
    KUBELET_SERVING,
    URI,
    certificate,
    conditions,
    create,
    decide,
    node_pem,
    request_pem,
)
from tests.controllers.cluster import Cluster, instant, running

pytestmark = pytest.mark.anyio
CONTROLLER = "certificatesigningrequest-signing-controller"
SERVING = ("digital signature", "server auth")
KUBELET = ("digital signature", "client auth")


async def signed(
    cluster: Cluster, pem: bytes, signer: str = CLIENT, usages: Sequence[str] = ("client auth",), seconds: int = 86400
) -> x509.Certificate:
    await create(cluster, pem, signer, usages, expirationSeconds=seconds)
    await decide(cluster)
    found = await certificate(cluster)
    assert found is not None
    return found


async def authority(cluster: Cluster) -> x509.Certificate:
    found = cluster.registry.shared_state.get("signing-authority", "")
    assert found is not None
    return CertificateAuthority.from_document(found).certificate


async def test_an_approved_request_gets_a_certificate_of_the_authority() -> None:
    async with running(CONTROLLER) as cluster:
        found = await signed(cluster, request_pem())
        found.verify_directly_issued_by(await authority(cluster))
        names = found.subject.get_attributes_for_oid(NameOID.COMMON_NAME)
        assert [name.value for name in names] == ["jane"]
        assert found.issuer.rfc4514_string() == "CN=kubernetes"


async def test_a_certificate_has_the_extensions_of_its_usages_and_names() -> None:
    async with running(CONTROLLER) as cluster:
        found = await signed(
            cluster, request_pem(names=[URI, IP, EMAIL, DNS]), usages=["client auth", "key encipherment"]
        )
        extensions = found.extensions
        usage = extensions.get_extension_for_class(x509.KeyUsage).value
        assert (usage.key_encipherment, usage.digital_signature) == (True, False)
        purposes = extensions.get_extension_for_class(x509.ExtendedKeyUsage).value
        assert list(purposes) == [ExtendedKeyUsageOID.CLIENT_AUTH]
        assert list(extensions.get_extension_for_class(x509.SubjectAlternativeName).value) == [DNS, EMAIL, IP, URI]
        assert not extensions.get_extension_for_class(x509.BasicConstraints).value.ca


async def test_the_attributes_of_the_subject_are_in_gos_order() -> None:
    async with running(CONTROLLER) as cluster:
        found = await signed(cluster, request_pem(organizations=["dev", "ops", "dev"]))
        written = [[attribute.value for attribute in rdn] for rdn in found.subject.rdns]
        assert written == [["dev", "ops"], ["jane"]]


@pytest.mark.parametrize(
    ("seconds", "lifetime"),
    [
        (600, timedelta(minutes=10)),
        (3600, timedelta(hours=1)),
        (8 * 3600, timedelta(hours=8, minutes=-5)),
        (2 * 365 * 86400, timedelta(days=365, minutes=-5)),
    ],
)
async def test_a_certificate_begins_five_minutes_ago_and_long_ones_end_five_minutes_earlier(
    seconds: int, lifetime: timedelta
) -> None:
    async with running(CONTROLLER) as cluster:
        found, now = await signed(cluster, request_pem(), seconds=seconds), cluster.clock.now()
        assert found.not_valid_before_utc == now - timedelta(minutes=5)
        assert found.not_valid_after_utc == now + lifetime


@pytest.mark.parametrize("decision", ["Denied", None])
async def test_other_requests_are_not_signed(decision: str | None) -> None:
    async with running(CONTROLLER) as cluster:
        await create(cluster, request_pem())
        if decision is not None:
            await decide(cluster, decision)
        assert await certificate(cluster) is None


async def test_requests_of_other_signers_are_left_to_them() -> None:
    async with running(CONTROLLER) as cluster:
        await create(cluster, request_pem(), "example.com/signer")
        await decide(cluster)
        assert await certificate(cluster) is None
        assert await conditions(cluster) == []


@pytest.mark.parametrize(
    ("signer", "pem", "usages", "problem"),
    [
        (CLIENT, request_pem(), ("server auth",), "invalid usage for client certificate: server auth"),
        (CLIENT, request_pem(), SERVING[:1], "missing required usage for client certificate: client auth"),
        (KUBELET_CLIENT, request_pem(), KUBELET, "subject organization is not system:nodes"),
        (
            KUBELET_CLIENT,
            request_pem("n1", ["system:nodes"]),
            KUBELET,
            "subject common name does not begin with system:node:",
        ),
        (KUBELET_CLIENT, node_pem(DNS), KUBELET, "DNS subjectAltNames are not allowed"),
        (KUBELET_CLIENT, node_pem(EMAIL), KUBELET, "Email subjectAltNames are not allowed"),
        (KUBELET_CLIENT, node_pem(IP), KUBELET, "IP subjectAltNames are not allowed"),
        (KUBELET_CLIENT, node_pem(URI), KUBELET, "URI subjectAltNames are not allowed"),
        (
            KUBELET_CLIENT,
            node_pem(),
            SERVING,
            "usages did not match [client auth digital signature key encipherment]",
        ),
        (KUBELET_SERVING, request_pem(names=[DNS]), SERVING, "subject organization is not system:nodes"),
        (KUBELET_SERVING, node_pem(), SERVING, "DNS or IP subjectAltName is required"),
        (KUBELET_SERVING, node_pem(DNS, EMAIL), SERVING, "Email subjectAltNames are not allowed"),
        (KUBELET_SERVING, node_pem(IP, URI), SERVING, "URI subjectAltNames are not allowed"),
        (
            KUBELET_SERVING,
            node_pem(DNS),
            KUBELET,
            "usages did not match [digital signature key encipherment server auth]",
        ),
    ],
)
async def test_a_request_that_breaks_the_rules_of_its_signer_fails(
    signer: str, pem: bytes, usages: Sequence[str], problem: str
) -> None:
    async with running(CONTROLLER) as cluster:
        await create(cluster, pem, signer, usages)
        await decide(cluster)
        assert await conditions(cluster) == [("Failed", problem)]
        assert await certificate(cluster) is None


@pytest.mark.parametrize(
    ("signer", "pem", "usages"),
    [
        (CLIENT, request_pem(), ("digital signature", "key encipherment", "client auth")),
        (KUBELET_CLIENT, node_pem(), KUBELET),
        (KUBELET_CLIENT, node_pem(), (*KUBELET, "key encipherment")),
        (KUBELET_SERVING, node_pem(DNS), SERVING),
        (KUBELET_SERVING, node_pem(IP), (*SERVING, "key encipherment")),
    ],
)
async def test_a_request_that_follows_the_rules_of_its_signer_is_signed(
    signer: str, pem: bytes, usages: Sequence[str]
) -> None:
    async with running(CONTROLLER) as cluster:
        await signed(cluster, pem, signer, usages)


async def test_a_request_with_a_name_that_cannot_be_read_is_given_up() -> None:
    async with running(CONTROLLER) as cluster:
        # The extension contains an x400Address, a type of name that ``cryptography`` does not support.
        names = x509.UnrecognizedExtension(ExtensionOID.SUBJECT_ALTERNATIVE_NAME, bytes.fromhex("3002a300"))
        builder = (
            x509.CertificateSigningRequestBuilder().subject_name(x509.Name([])).add_extension(names, critical=False)
        )
        pem = builder.sign(ec.generate_private_key(ec.SECP256R1()), SHA256()).public_bytes(Encoding.PEM)
        await create(cluster, pem)
        await decide(cluster)
        assert await certificate(cluster) is None
        assert cluster.clock.timers == 0


async def test_an_expired_authority_signs_nothing() -> None:
    async with running(CONTROLLER) as cluster:
        await signed(cluster, request_pem())
        await cluster.delete("certificatesigningrequests", "r", namespace="")
        await cluster.clock.advance(3650 * 86400)
        await create(cluster, request_pem())
        await decide(cluster)
        assert await certificate(cluster) is None
        assert await conditions(cluster) == []


@pytest.mark.parametrize(("usage", "bits"), [("encipher only", "03020001"), ("decipher only", "0303070080")])
async def test_usages_that_need_a_key_agreement_can_stand_alone(usage: str, bits: str) -> None:
    now = instant("2026-01-01T00:00:00Z")
    requested = RequestedCertificate(x509.load_pem_x509_csr(request_pem()), frozenset([usage]))
    pem = CertificateAuthority.created(now).signed(requested, [usage], timedelta(days=1), now)
    der = x509.load_pem_x509_certificate(pem).tbs_certificate_bytes
    content = bytes.fromhex(bits)
    assert bytes.fromhex("0603551d0f0101ff04") + bytes([len(content)]) + content in der


async def test_a_certificate_has_a_positive_random_serial_number() -> None:
    async with running(CONTROLLER) as cluster:
        found = await signed(cluster, request_pem())
        assert 0 < found.serial_number < 2**128
        assert isinstance(found.signature_hash_algorithm, SHA256)
        assert isinstance((await authority(cluster)).public_key(), ec.EllipticCurvePublicKey)
