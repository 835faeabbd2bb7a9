"""Extract one Ansible collection from the package that contains all of them.

``python tools/collection.py WHEEL NAMESPACE/NAME FOLDER``; FOLDER is a folder for ANSIBLE_COLLECTIONS_PATH. Single
collections are available from Ansible's own registry only, and the whole package takes half a gigabyte when installed.
"""

import sys
import zipfile
from pathlib import Path


def unpack(wheel: Path, name: str, folder: Path) -> None:
    """Write the files of a collection. Raises ValueError if the package does not contain the collection."""
    with zipfile.ZipFile(wheel) as package:
        files = [path for path in package.namelist() if path.startswith(f"ansible_collections/{name}/")]
        if not files:
            raise ValueError(f"{wheel.name} has no collection {name}")
        package.extractall(folder, files)


if __name__ == "__main__":
    unpack(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]))
