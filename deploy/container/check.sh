#!/usr/bin/env bash
# Builds the image and proves what it promises: it runs as another user than root on a read-only
# root file system, learns and answers, and keeps what it acknowledged when it is killed.
# Uses Docker where an engine answers, buildah and podman otherwise (as root).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

readonly IMAGE=prequel:dev NAME=prequel-check-$$
HERE=deploy/container
run_flags=()
temporary=$(mktemp -d)

if docker info >/dev/null 2>&1; then
  engine=(docker)
  build_image() { docker build --tag "$IMAGE" --build-arg JOBS="${JOBS:-}" .; }
else
  ((EUID == 0)) || { echo "check.sh: buildah and podman need root here" >&2; exit 1; }
  export STORAGE_DRIVER=overlay
  # crun wants systemd's cgroups and health checks its timers; a container may have neither.
  engine=(podman --runtime runc --cgroup-manager cgroupfs)
  run_flags=(--no-healthcheck --ulimit nofile=16384:16384 --ulimit nproc=8192:8192)
  build_image() {
    "$HERE/base_image.sh" "$temporary"
    buildah bud --isolation chroot --pull=false --format docker --layers --tag "$IMAGE" \
      --volume "$temporary/sources.list.d:/etc/apt/sources.list.d:ro" \
      --volume /etc/apt/apt.conf.d:/etc/apt/apt.conf.d:ro \
      --build-arg JOBS="${JOBS:-}" .
  }
fi

say() { printf '\n== %s\n' "$*"; }
die() { echo "check.sh: $*" >&2; exit 1; }

cleanup() {
  "${engine[@]}" rm --force "$NAME" >/dev/null 2>&1 || true
  "${engine[@]}" volume rm --force "$NAME" >/dev/null 2>&1 || true
  rm -rf "$temporary"
}
trap cleanup EXIT

# A port nobody listens on now.
free_port() {
  local port
  for port in $(shuf -i 20000-30000 -n 50); do
    (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || { echo "$port"; return; }
  done
  die "no free port"
}

# The host's network, since bridges need more than a nested machine grants; loopback only.
start() {
  "${engine[@]}" run --detach --name "$NAME" --network host --read-only --cap-drop ALL \
    --security-opt no-new-privileges --volume "$NAME:/var/lib/prequel" --env PREQUEL_TLS_CA= \
    "${run_flags[@]}" "$IMAGE" --data-dir=/var/lib/prequel --listen="127.0.0.1:$grpc_port" \
    --http="127.0.0.1:$http_port" >/dev/null
  wait_until_ready
}

wait_until_ready() {
  local attempt
  for ((attempt = 0; attempt < 150; ++attempt)); do
    prequel health >/dev/null 2>&1 && return
    sleep 0.2
  done
  "${engine[@]}" logs "$NAME" >&2
  die "not ready after 30 seconds"
}

prequel() { "${engine[@]}" exec -i "$NAME" prequel --server "127.0.0.1:$grpc_port" "$@"; }

grpc_port=$(free_port)
http_port=$(free_port)

say "build $IMAGE"
build_image
"${engine[@]}" image inspect --format 'image size: {{.Size}} bytes' "$IMAGE"

say "it does not start unprotected"
unprotected=$("${engine[@]}" run --rm --network host "${run_flags[@]}" "$IMAGE" \
  --listen="0.0.0.0:$grpc_port" --http= 2>&1) && die "it serves everybody"
[[ $unprotected == *"prequel token new"* ]] || die "it does not say how to protect it"

say "run it with a certificate and a policy"
mkdir "$temporary/tls" "$temporary/policy"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -subj /CN=localhost \
  -addext subjectAltName=DNS:localhost -keyout "$temporary/tls/tls.key" \
  -out "$temporary/tls/tls.crt" 2>/dev/null
"${engine[@]}" run --rm --entrypoint prequel "${run_flags[@]}" "$IMAGE" \
  token new admin --role admin >"$temporary/shown"
sed -n '/^\[/,$p' "$temporary/shown" >"$temporary/policy/policy"
token=$(grep ^prequel_ "$temporary/shown")
chmod -R a+rX "$temporary"
# Its default command, but for the ports.
"${engine[@]}" run --detach --name "$NAME" --network host --read-only --cap-drop ALL \
  --volume "$temporary/tls:/etc/prequel/tls:ro" \
  --volume "$temporary/policy:/etc/prequel/policy:ro" \
  --volume "$NAME:/var/lib/prequel" "${run_flags[@]}" "$IMAGE" --data-dir=/var/lib/prequel \
  --listen="0.0.0.0:$grpc_port" --http="0.0.0.0:$http_port" --tls-cert=/etc/prequel/tls/tls.crt \
  --tls-key=/etc/prequel/tls/tls.key --policy=/etc/prequel/policy/policy >/dev/null
secured() {
  "${engine[@]}" exec --env PREQUEL_TOKEN="$1" "$NAME" prequel \
    --server "localhost:$grpc_port" "${@:2}"
}
for ((attempt = 0; attempt < 150; ++attempt)); do
  secured "" health >/dev/null 2>&1 && break
  sleep 0.2
done
secured "$token" list >/dev/null || die "the token does not let in"
! secured "" list >/dev/null 2>&1 || die "it lets in who shows nothing"
"${engine[@]}" rm --force "$NAME" >/dev/null
"${engine[@]}" volume rm --force "$NAME" >/dev/null

say "run it read-only"
start
[[ $("${engine[@]}" exec "$NAME" id -u) == 10001 ]] || die "does not run as user 10001"
! "${engine[@]}" exec "$NAME" touch /probe 2>/dev/null || die "the root file system is writable"
"${engine[@]}" exec "$NAME" touch /var/lib/prequel/.probe || die "the volume is not writable"

# What the model says, to the last digit.
answers() {
  prequel eval "$model"
  prequel generate linear --rows 20 --seed 2 | prequel predict "$model" --csv -
}

say "drive it"
model=check
"$HERE/drive.sh" "$model" "${engine[@]}" exec -i "$NAME" prequel --server "127.0.0.1:$grpc_port"
before=$(answers)

say "kill it and start another one on the same volume"
"${engine[@]}" kill --signal KILL "$NAME" >/dev/null
"${engine[@]}" rm --force "$NAME" >/dev/null
start
[[ $(answers) == "$before" ]] || die "the model answers otherwise than before the restart"
echo "the same answers to every digit"

say "stop it"
"${engine[@]}" stop --time 20 "$NAME" >/dev/null
[[ $("${engine[@]}" inspect --format '{{.State.ExitCode}}' "$NAME") == 0 ]] ||
  die "did not stop cleanly on SIGTERM"

say "look its data directory over"
"${engine[@]}" run --rm --read-only --cap-drop ALL --entrypoint prequel-log \
  --volume "$NAME:/var/lib/prequel" "${run_flags[@]}" "$IMAGE" \
  replay --data-dir=/var/lib/prequel || die "prequel-log finds problems"
echo "the image keeps its promises"
