#!/usr/bin/env bash
# run.sh ENVIRONMENT PREQUELD PREQUEL FILE...: runs pytest over the files, with these two programs
# and in build/python/ENVIRONMENT, which it makes where it is not there. Exits with 77, which ctest
# counts as skipped, when the environment cannot be had, or when every test was skipped. What was
# skipped beside others is left in the file PREQUEL_SKIPPED, if that is set.
set -euo pipefail

environment=$1
export PREQUELD=$2 PREQUEL=$3
shift 3
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
home=build/python/$environment
[[ ! ${PREQUEL_SKIPPED:-} ]] || rm -f "$PREQUEL_SKIPPED"

skip() { echo "skipped: $*"; exit 77; }

make_debian() {
  /usr/bin/python3 -c 'import grpc, google.protobuf, numpy, pytest' 2>/dev/null ||
    skip "python3-grpcio, python3-protobuf, python3-numpy or python3-pytest is not installed"
  [[ -x $home/bin/python ]] || /usr/bin/python3 -m venv --system-site-packages "$home"
}

make_newest() { install requirements.txt; }
make_triton() { install requirements-triton.txt; }
# Without the half of what it names that its clients do not use.
make_kserve() { install requirements-kserve.txt --no-deps; }

# install REQUIREMENTS [OPTIONS OF PIP]: unless the environment has just these.
install() {
  local requirements=tests/python/$1
  shift
  cmp -s "$requirements" "$home/installed.txt" && return
  /usr/bin/python3 -m venv "$home" || skip "python3-venv is not installed"
  "$home/bin/pip" install --quiet --disable-pip-version-check "$@" --requirement "$requirements" ||
    skip "the package registry cannot be reached"
  cp "$requirements" "$home/installed.txt"
}

mkdir -p build/python
# Several tests of one environment start at once: the first makes it.
exec 9>"build/python/$environment.lock"
flock 9
"make_$environment"
exec 9>&-

export PYTHONPATH=$PWD/client/python PYTHONDONTWRITEBYTECODE=1
export JUPYTER_RUNTIME_DIR=$PWD/$home/jupyter IPYTHONDIR=$PWD/$home/ipython
export MPLCONFIGDIR=$PWD/$home/matplotlib
exec "$home/bin/python" -m pytest -q -p no:cacheprovider -c tests/python/pytest.ini "$@"
