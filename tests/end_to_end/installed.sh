#!/usr/bin/env bash
# installed.sh BUILD: what `cmake --install` puts there is the three programs, without debugging
# symbols, and each says its version.
set -euo pipefail
build=$1
prefix=$(mktemp -d)
trap 'rm -rf "$prefix"' EXIT

die() { echo "installed.sh: $*" >&2; exit 1; }

cmake --install "$build" --prefix "$prefix" >/dev/null
installed=$(cd "$prefix" && find . -type f | sort | xargs)
[[ $installed == "./bin/prequel ./bin/prequel-log ./bin/prequeld" ]] ||
  die "it installs $installed"
for program in "$prefix"/bin/*; do
  sections=$(readelf --sections --wide "$program")
  [[ $sections == *.text* && $sections != *.debug_* ]] || die "$program has symbols"
  [[ $("$program" --version) == "$(basename "$program") "[0-9]* ]] ||
    die "$program does not say its version"
done
