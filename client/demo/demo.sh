#!/usr/bin/env bash
# A minute with Prequel: learn two streams, predict, restart, predict the same.
#
#   client/demo/demo.sh BUILD_DIR
#
# Needs prequeld and prequel built under BUILD_DIR. Uses a temporary directory and free loopback
# ports, and removes the directory. With PREQUEL_DATA_DIR set, learns streams/elec2.csv too.
# Exits 1 when the restarted server answers differently.
set -euo pipefail

build=${1:?usage: demo.sh BUILD_DIR}
fail() { echo "demo: $*" >&2; exit 1; }

# A program by name: where the build puts programs, else anywhere under the build folder.
find_program() {
  local candidate
  for candidate in "$build/bin/$1" "$build/server/$1" "$build/client/cli/$1"; do
    if [[ -x $candidate ]]; then echo "$candidate"; return; fi
  done
  candidate=$(find "$build" -type f -name "$1" -perm -u+x -print -quit)
  [[ -n $candidate ]] || fail "no $1 under $build; build it first"
  echo "$candidate"
}

prequeld=$(find_program prequeld)
prequel=$(find_program prequel)
work=$(mktemp -d)
server=

cleanup() {
  if [[ -n $server ]]; then kill -KILL "$server" 2>/dev/null || true; fi
  rm -rf "$work"
}
trap cleanup EXIT

give_up() { cat "$work/log" >&2; fail "$@"; }

start() {
  : >"$work/log"
  "$prequeld" --data-dir "$work/data" --listen 127.0.0.1:0 --http 127.0.0.1:0 >>"$work/log" 2>&1 &
  server=$!
  for _ in $(seq 100); do
    PREQUEL_SERVER=$(sed -n 's/.*prequeld listening on \([^ ]*\).*/\1/p' "$work/log" | head -1)
    if [[ -n $PREQUEL_SERVER ]]; then break; fi
    kill -0 "$server" 2>/dev/null || give_up "prequeld did not start"
    sleep 0.1
  done
  [[ -n $PREQUEL_SERVER ]] || give_up "prequeld does not say where it listens"
  export PREQUEL_SERVER
  "$prequel" health --wait 10
}

stop() {
  kill -TERM "$server"
  wait "$server" || give_up "prequeld did not stop cleanly"
  server=
}

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
# Shows the command, then runs it.
run() { printf '$ prequel %s\n' "$*"; "$prequel" "$@"; }

say "Two moons, a Bayesian neural network, one pass"
start
run create moons --inputs x1,x2 --target y --model mlp --hidden 32 --activation tanh \
  --likelihood bernoulli --posterior full --rule rvga --seed 1
echo '$ prequel generate moons --rows 19200 --seed 1 | prequel learn moons --csv - --predict-first'
"$prequel" generate moons --rows 19200 --seed 1 |
  "$prequel" learn moons --csv - --batch 64 --predict-first

elec2=${PREQUEL_DATA_DIR:-}/streams/elec2.csv
if [[ -e $elec2 ]]; then
  say "Electricity prices, a logistic regression, one pass"
  run create elec2 --from-csv "$elec2" --target y --model linear
  run learn elec2 --csv "$elec2" --batch 64 --every 150
fi

say "Four predictions, and how much of each is not knowing the weights"
cat >"$work/points.csv" <<'POINTS'
x1,x2
0,1
1,-0.5
0.5,0.25
-3,-3
POINTS
"$prequel" predict moons --csv "$work/points.csv" --json >"$work/before"
"$prequel" predict moons --csv "$work/points.csv" |
  paste -d, "$work/points.csv" - | cut -d, -f1-5,8 | column -t -s,

say "Stop, start on the same directory, ask again"
stop
start
"$prequel" predict moons --csv "$work/points.csv" --json >"$work/after"
if ! cmp "$work/before" "$work/after"; then
  fail "the restarted server answers differently"
fi
echo "the answers are identical, byte for byte"
run list
stop
