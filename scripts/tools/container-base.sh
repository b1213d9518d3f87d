#!/usr/bin/env bash
# Writes the root file system of the image that tests build deploy/Containerfile on: this system's Debian with apt, the Node
# at hand, and a package source in a folder, which has all that the container file installs. So a build needs no network.
#   container-base.sh FILE.tar
set -euo pipefail
. /etc/os-release

node_binary=$(node -p process.execPath)
export node_binary
# shellcheck disable=SC2016
source_hook='set -eu
chroot "$1" apt-get install -y -qq --no-install-recommends --download-only iproute2 iptables >/dev/null
mkdir "$1/var/local/packages"
mv "$1"/var/cache/apt/archives/*.deb "$1/var/local/packages/"
cd "$1/var/local/packages"
for package in *.deb; do
  dpkg-deb --field "$package"
  printf "Filename: ./%s\nSize: %s\n" "$package" "$(stat -c %s "$package")"
  printf "SHA256: %s\n\n" "$(sha256sum "$package" | cut -d" " -f1)"
done >Packages
rm -f "$1"/etc/apt/sources.list.d/*
echo "deb [trusted=yes] file:/var/local/packages ./" >"$1/etc/apt/sources.list"
cp "$node_binary" "$1/usr/local/bin/node"'

mmdebstrap --quiet --variant=apt \
  --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' \
  --dpkgopt='path-exclude=/usr/share/locale/*' \
  --customize-hook="$source_hook" "$VERSION_CODENAME" "$1.new.tar"
mv "$1.new.tar" "$1"
