"""Takes one of Ansible's collections out of the package that holds them all.

``python tools/collection.py WHEEL NAMESPACE/NAME FOLDER``; FOLDER is one for ANSIBLE_COLLECTIONS_PATH. A collection by
itself is served by Ansible's own registry alone, and the whole package is half a gigabyte when it is installed.
"""

import sys
import zipfile
from pathlib import Path


def unpack(wheel: Path, name: str, folder: Path) -> None:
    """Writes the files of a collection. Raises ValueError where the package has no such collection."""
    with zipfile.ZipFile(wheel) as package:
        files = [path for path in package.namelist() if path.startswith(f"ansible_collections/{name}/")]
        if not files:
            raise ValueError(f"{wheel.name} has no collection {name}")
        package.extractall(folder, files)


if __name__ == "__main__":
    unpack(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]))
