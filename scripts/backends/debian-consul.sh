#!/usr/bin/env bash
# Fetches Consul 1.8.7, the last release that Debian has (bullseye), into .tools/bin/consul-1.8: tests of the registry run on it,
# and on a newer one that build.sh builds. The mirror is the one that apt uses.
set -euo pipefail
cd "$(dirname "$0")/../.."
sum=e4e888bba104daba1d9161f49bfc52649a7e4efd45b1a7ead5bc54f2cb9c89d9
file='pool/main/c/consul/consul_1.8.7+dfsg1-2+b3_amd64.deb'
target=.tools/bin/consul-1.8

fail() { printf 'consul: %s\n' "$*" >&2; exit 1; }

[ -x "$target" ] && exit
command -v dpkg-deb >/dev/null && command -v curl >/dev/null || fail 'dpkg-deb and curl are needed to fetch Consul 1.8.7'
[ "$(dpkg --print-architecture)" = amd64 ] || fail 'Debian has Consul 1.8.7 for this test on amd64 alone'
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
apt-get indextargets --format '$(REPO_URI)' | sort -u >"$folder/mirrors"
while read -r mirror; do
  curl --silent --show-error --fail --location --max-time 120 --output "$folder/consul.deb" "${mirror%/}/$file" 2>>"$folder/errors" && break
  rm -f "$folder/consul.deb"
done <"$folder/mirrors"
[ -f "$folder/consul.deb" ] || fail "no mirror that apt uses has $file: $(tail -n 1 "$folder/errors")"
printf '%s  %s\n' "$sum" "$folder/consul.deb" | sha256sum --check --quiet || fail "the checksum of $file differs"
dpkg-deb --extract "$folder/consul.deb" "$folder/files"
mkdir -p .tools/bin
mv "$folder/files/usr/bin/consul" "$target"
