"""Options for the authority that signs CertificateSigningRequests, with the names of kube-controller-manager."""

from dataclasses import dataclass
from pathlib import Path

from memkube.cli.commands import PATH
from memkube.cli.options.groups import option
from memkube.controllers.options import SigningFiles
from memkube.errors import UsageError


@dataclass(frozen=True, slots=True)
class SigningOptions:
    """The certificate and the private key of the authority that signs CertificateSigningRequests."""

    cluster_signing_cert_file: Path | None = option(
        "PEM file with the certificate of the authority that signs CertificateSigningRequests; by default, "
        "the server creates an authority.",
        metavar="FILE",
        type=PATH,
    )
    cluster_signing_key_file: Path | None = option(
        "PEM file with the private key of the authority.", metavar="FILE", type=PATH
    )

    def files(self) -> SigningFiles | None:
        """Return the files of the authority; None if the options are not given.

        Raises UsageError if only one of the options is given, and ValueError if the files have no usable authority.
        """
        if self.cluster_signing_cert_file is None and self.cluster_signing_key_file is None:
            return None
        if self.cluster_signing_cert_file is None or self.cluster_signing_key_file is None:
            raise UsageError("--cluster-signing-cert-file and --cluster-signing-key-file need each other")
        # The module that reads the files is imported only if there are files, because importing takes time.
        from memkube.controllers.certificates.authority_files import read_authority  # noqa: PLC0415

        files = SigningFiles(self.cluster_signing_cert_file, self.cluster_signing_key_file)
        read_authority(files)
        return files
