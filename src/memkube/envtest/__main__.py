"""Entry point of ``python -m memkube.envtest PROGRAM …``, which the scripts kube-apiserver, etcd and kubectl start.

PROGRAM is the path of the script. The last part of the path names the program to run.
"""

import os
import sys
from pathlib import PurePath


def main() -> int:
    """Run the program that the first argument names, and return its exit status."""
    launcher, *arguments = sys.argv[1:]
    program = PurePath(launcher).name
    # Import only the modules of the program that runs: test suites run it with --help before each start.
    if program == "etcd":
        from memkube.envtest import etcd  # noqa: PLC0415

        return etcd.main(arguments)
    if program == "kubectl":
        from memkube.envtest import kubectl  # noqa: PLC0415

        return kubectl.main(arguments, os.environ)
    from memkube.envtest import apiserver  # noqa: PLC0415

    # Save time: without this variable, pydantic looks for plugins in all installed packages when it is imported.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    return apiserver.main(arguments)


if __name__ == "__main__":
    sys.exit(main())
