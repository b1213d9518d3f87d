#!/usr/bin/env bash
# Builds what tests need from Go modules: the Kubernetes API server, its controllers, kubectl, etcd, helm and Consul. The first time
# takes about eighteen minutes of a processor. What was built stays in the user's cache folder, under the digest of what it was
# built from, for all checkouts; links in .tools/bin lead there. Two builds at once: the second waits for the first.
# `build.sh consul` builds that alone. `build.sh --in-background` returns at once, and says in .tools/backends.log how it goes.
set -euo pipefail
cd "$(dirname "$0")/../.."
here=scripts/backends
tools=$PWD/.tools
cache=${XDG_CACHE_HOME:-${HOME:?has no value, and no folder is known to keep what is built}/.cache}/meshpol/backends
kubernetes=v1.36.3
all='etcd helm kubernetes consul'

fail() { printf 'backends: %s\n' "$*" >&2; exit 1; }

# The versions that programs of Kubernetes say they are.
flags_of() {
  if [ "$1" = consul ]; then printf -- '-s -w'; return; fi
  local version=k8s.io/component-base/version
  printf -- '-s -w -X %s.gitVersion=%s -X %s.gitMajor=1 -X %s.gitMinor=%s' \
    $version $kubernetes $version $version "$(cut -d . -f 2 <<<"$kubernetes")"
}

# What a module is built from: its lock file, the flags, and Go.
digest_of() {
  { cat "$here/$1/go.mod" "$here/$1/go.sum" "$tools/go/VERSION" && flags_of "$1"; } | sha256sum | cut -c 1-16
}

programs_of() {
  if [ "$1" = kubernetes ]; then echo kube-apiserver kube-controller-manager kubectl; else echo "$1"; fi
}

package_of() {
  if [ "$1" = etcd ]; then
    echo go.etcd.io/etcd/server/v3
  elif [ "$1" = helm ]; then
    echo helm.sh/helm/v3/cmd/helm
  elif [ "$1" = consul ]; then
    echo github.com/hashicorp/consul
  else
    echo "k8s.io/kubernetes/cmd/$1"
  fi
}

is_linked() {
  local program
  for program in $(programs_of "$1"); do
    [ "$(readlink "$tools/bin/$program")" = "$cache/$1-$(digest_of "$1")/$program" ] && [ -x "$tools/bin/$program" ] || return 1
  done
}

build() {
  local target program
  target=$cache/$1-$(digest_of "$1")
  rm -rf "$target.tmp"
  mkdir -p "$target.tmp"
  for program in $(programs_of "$1"); do
    printf 'backends: building %s\n' "$program" >&2
    go_in "$1" build -trimpath -ldflags "$(flags_of "$1")" -o "$target.tmp/$program" "$(package_of "$program")" ||
      fail "could not build $program: is the Go module proxy reachable?"
  done
  mv "$target.tmp" "$target"
}

go_in() {
  local module=$1
  shift
  (
    cd "$here/$module"
    export GOROOT="$tools/go" GOMODCACHE="$cache/go/modules" GOCACHE="$cache/go/objects" CGO_ENABLED=0 GOTOOLCHAIN=local
    export GOFLAGS='-mod=readonly -modcacherw'
    "$GOROOT/bin/go" "$@"
  )
}

link() {
  local program
  for program in $(programs_of "$1"); do
    ln -sfn "$cache/$1-$(digest_of "$1")/$program" "$tools/bin/$program"
  done
}

is_done() {
  local module
  for module in $modules; do is_linked "$module" || return 1; done
}

if [ "${1-}" = --in-background ]; then modules=$all; else modules=${*:-$all}; fi
is_done && exit
if [ "${1-}" = --in-background ]; then
  setsid nohup nice -n 15 "$here/build.sh" >"$tools/backends.log" 2>&1 </dev/null &
  exit
fi
compgen -G "$tools/go/pkg/tool/*/compile" >/dev/null || fail "$tools/go holds no compiler: run make setup"
mkdir -p "$cache"
exec 9>"$cache/lock"
# What is built already is linked while another build, of something else, goes on.
builds=
for module in $modules; do
  [ -d "$cache/$module-$(digest_of "$module")" ] || builds=yes
done
[ -z "$builds" ] || flock 9
for module in $modules; do
  [ -d "$cache/$module-$(digest_of "$module")" ] || build "$module"
  link "$module"
done
[ -z "$builds" ] || rm -rf "$cache/go"
