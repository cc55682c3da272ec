"""Why no connection to a server was made, from gRPC's words for it."""

from __future__ import annotations

import ipaddress
import os

_OTHER_NAME = ("Hostname Verification Check failed", "not in peer certificate")
_NOT_SIGNED = ("CERTIFICATE_VERIFY_FAILED", "certificate verify failed")
_NO_TLS = ("WRONG_VERSION_NUMBER", "wrong version number")
_CLOSED = ("Socket closed", "onnection reset")


def is_this_machine(server: str) -> bool:
    """Whether `server` is a name of this machine's own, or a socket on it."""
    if server.startswith("unix:"):
        return True
    host = server.removeprefix("dns:").lstrip("/").rpartition(":")[0].strip("[]")
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def why_unreachable(message: str, server: str) -> tuple[str, str]:
    """What is wrong, and what to do. A proxy that the environment names is mentioned where it
    stands between: never before this machine."""
    insecure = f"no secure connection to {server}: "
    if _has(message, _OTHER_NAME):
        return (
            f"{insecure}its certificate is of another name",
            "prequel.TLS(server_name=…) says which name it has, or Client(server=…) calls the "
            "server by that name",
        )
    if _has(message, _NOT_SIGNED):
        return (
            f"{insecure}its certificate is not signed by who is trusted here",
            'tls="ca.pem" names the file of the authority that signed it, or of the certificate '
            "itself",
        )
    if _has(message, _NO_TLS):
        return (
            f"{insecure}it does not speak TLS on this port",
            "leave tls= out, or start prequeld with --tls-cert and --tls-key",
        )
    advice = "is prequeld running there? Client(server=…) or PREQUEL_SERVER names another address"
    if _has(message, _CLOSED):
        advice = 'does it take TLS (tls="ca.pem"), or is it another port than that of gRPC?'
    proxy = _proxy(server)
    if proxy:
        advice += f" The proxy of {proxy} stands between; no_proxy names the hosts that need none"
    return f"no answer from {server}", advice


def _has(message: str, signs: tuple[str, ...]) -> bool:
    return any(sign in message for sign in signs)


def _proxy(server: str) -> str:
    """The proxy that gRPC asks for a server elsewhere; "" when there is none."""
    if is_this_machine(server):
        return ""
    for name in ("grpc_proxy", "https_proxy", "http_proxy"):
        if os.environ.get(name):
            return f"{name}={os.environ[name]}"
    return ""
