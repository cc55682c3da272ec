#!/usr/bin/env bash
# base_image.sh APT_DIR: what `FROM debian:bookworm-slim` needs on a machine without a registry.
#
# Makes the base image with debootstrap from the archive this machine's apt uses, unless there is
# one, and leaves in APT_DIR a sources.list.d naming that archive, to be mounted while building.
# Root only. Nothing of this machine's configuration enters the image.
set -euo pipefail

readonly IMAGE=docker.io/library/debian:bookworm-slim
apt_dir=$1

# "URI SUITE COMPONENT" of each archive of Debian bookworm this machine uses.
# shellcheck disable=SC2016  # apt expands these, not the shell
archives() {
  apt-get indextargets --format '$(ORIGIN)|$(REPO_URI) $(RELEASE) $(COMPONENT)' \
    'Created-By: Packages' | sed -n 's/^Debian|//p' | grep -E ' bookworm(-[a-z]+)? ' | sort -u
}

[[ -n $(archives) ]] || apt-get update -qq
mkdir -p "$apt_dir/sources.list.d"
archives | sed 's/^/deb /' >"$apt_dir/sources.list.d/debian.list"
[[ -s $apt_dir/sources.list.d/debian.list ]] ||
  { echo "base_image.sh: apt on this machine has no Debian bookworm archive" >&2; exit 1; }

podman image exists "$IMAGE" && exit 0

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mirror=$(archives | awk '$2 == "bookworm" && $3 == "main" {print $1; exit}')
# debootstrap does not read apt's proxy.
eval "$(apt-config shell http_proxy Acquire::http::Proxy)"
export http_proxy=${http_proxy:-}
debootstrap --variant=minbase bookworm "$root" "$mirror" >/dev/null
# What the published slim image leaves out too.
rm -rf "$root"/var/lib/apt/lists/* "$root"/var/cache/* "$root"/var/log/* \
  "$root"/etc/apt/sources.list "$root"/usr/share/{doc,man,info,locale}/*
tar -C "$root" -c . | podman import - "$IMAGE" >/dev/null
