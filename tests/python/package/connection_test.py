"""Address, token, TLS and errors, against servers made here."""

import concurrent.futures
import contextlib
import os
import pickle
import re
import subprocess

import grpc
import numpy as np
import pytest

import prequel
from prequel import connection, errors, v1
from prequel.errors import from_status
from prequel.unreachable import why_unreachable

TOKEN = "secret-token"


class FakeServer(grpc.GenericRpcHandler):
    """Knows one model, asks for a token, and notes what it was told."""

    def __init__(self):
        self.metadata = []

    def service(self, details):
        self.metadata.append(dict(details.invocation_metadata))
        return grpc.unary_unary_rpc_method_handler(self._get)

    def _get(self, request, context):
        given = dict(context.invocation_metadata()).get("authorization")
        if given is None:
            context.abort(grpc.StatusCode.UNAUTHENTICATED, "no token was given")
        if given != f"Bearer {TOKEN}":
            context.abort(grpc.StatusCode.PERMISSION_DENIED, "this token may not read models")
        return v1.Model(name="models/m", revision=3).SerializeToString()


@contextlib.contextmanager
def serving(credentials=None):
    handler = FakeServer()
    server = grpc.server(concurrent.futures.ThreadPoolExecutor(2))
    server.add_generic_rpc_handlers((handler,))
    if credentials is None:
        port = server.add_insecure_port("127.0.0.1:0")
    else:
        port = server.add_secure_port("127.0.0.1:0", credentials)
    server.start()
    try:
        yield handler, f"127.0.0.1:{port}"
    finally:
        server.stop(None).wait()


def certificate(folder, name, host):
    key, cert = folder / f"{name}.key", folder / f"{name}.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj",
         f"/CN={host}", "-addext", f"subjectAltName=DNS:{host}", "-keyout", key, "-out", cert],
        check=True, capture_output=True,
    )  # fmt: skip
    return key, cert


def test_a_token_travels_as_bearer():
    with serving() as (handler, address):
        with prequel.Client(address, token=TOKEN) as client:
            assert client.model("m").describe().revision == 3
        assert handler.metadata[-1]["authorization"] == f"Bearer {TOKEN}"


def test_no_token_and_a_wrong_one(monkeypatch):
    with serving() as (_, address):
        with prequel.Client(address) as client:
            with pytest.raises(prequel.Unauthenticated, match="set PREQUEL_TOKEN") as caught:
                client.model("m").describe()
            assert isinstance(caught.value, PermissionError)
            with pytest.raises(prequel.PermissionDenied, match="may not read models; the token"):
                prequel.Client(address, token="other").model("m").describe()
        monkeypatch.setenv("PREQUEL_TOKEN", TOKEN)
        monkeypatch.setenv("PREQUEL_SERVER", address)
        assert prequel.Client().model("m").describe().revision == 3
    for bad in ("two words", "ü", "new\nline"):
        with pytest.raises(prequel.InvalidArgument, match="characters that no token has"):
            prequel.Client(token=bad)


def test_a_token_in_a_file(monkeypatch, tmp_path):
    monkeypatch.setenv("PREQUEL_TOKEN_FILE", str(tmp_path / "token"))
    with pytest.raises(prequel.InvalidArgument, match="PREQUEL_TOKEN_FILE: cannot read"):
        prequel.Client()
    (tmp_path / "token").write_text(TOKEN + "\n")
    with serving() as (_, address), prequel.Client(address) as client:
        assert client.model("m").describe().revision == 3


def test_a_token_does_not_leave_this_machine_in_the_clear():
    for here in ("localhost:1", "127.0.0.1:1", "[::1]:1", "unix:/tmp/x", "dns:///localhost:1"):
        prequel.Client(here, token=TOKEN).close()
    for there in ("example.com:1", "10.0.0.1:1", "localhost.example.com:1", "dns:///h:1"):
        with pytest.raises(prequel.InvalidArgument, match="only to this machine"):
            prequel.Client(there, token=TOKEN)
        prequel.Client(there, token=TOKEN, tls=True).close()


def test_a_policy(tmp_path):
    """A server that wants to know who calls."""
    program = os.environ["PREQUEL"]
    policy = tmp_path / "policy"
    tokens = {}
    blocks = ""
    for name, role in (("owner", "admin"), ("reader", "read")):
        file = tmp_path / name
        made = subprocess.run(
            [program, "token", "new", name, "--role", role, "--models", "*", "--output", file],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        blocks += made.stdout
        tokens[name] = file.read_text().strip()
    policy.write_text(blocks)
    policy.chmod(0o600)
    with prequel.Server(flags=[f"--policy={policy}"]) as server:
        with server.client(token=tokens["owner"]) as owner:
            model = owner.create("m", inputs=1, target="y", likelihood="gaussian")
            assert model.learn(np.eye(1), [1.0]).rows == 1
            model.learn(np.zeros((9, 1)), np.zeros(9), batch_size=3)
        with server.client(token=tokens["reader"]) as reader:
            assert reader.model("m").describe().examples == 10
            for learn in (lambda m: m.learn([[0.0]], [1.0]), lambda m: m.open_stream().finish()):
                with pytest.raises(prequel.PermissionDenied):
                    learn(reader.model("m"))
        for client in (server.client(), server.client(token="wrong")):
            with client, pytest.raises(prequel.Unauthenticated, match="PREQUEL_TOKEN"):
                client.model("m").describe()


def test_tls(tmp_path):
    key, cert = certificate(tmp_path, "server", "prequel.test")
    client_key, client_cert = certificate(tmp_path, "client", "me")
    pair = [(key.read_bytes(), cert.read_bytes())]
    credentials = grpc.ssl_server_credentials(pair, client_cert.read_bytes(), True)
    with serving(credentials) as (_, address):
        tls = prequel.TLS(cert, client_cert, str(client_key), "prequel.test")
        with prequel.Client(address, token=TOKEN, tls=tls) as client:
            assert client.model("m").describe().revision == 3
        for wrong, why in (
            (prequel.TLS(cert, server_name="prequel.test"), "no answer"),  # none of its own
            (prequel.TLS(client_cert, client_cert, client_key, "prequel.test"), "not signed by"),
            (prequel.TLS(cert, client_cert, client_key, "other.test"), "is of another name"),
            (None, "does it take TLS"),
        ):
            with (
                prequel.Client(address, token=TOKEN, tls=wrong, timeout=5) as client,
                pytest.raises(prequel.Unavailable, match=why),
            ):
                client.model("m").describe()


def test_tls_by_the_file_of_the_authority(tmp_path):
    key, cert = certificate(tmp_path, "server", "localhost")
    credentials = grpc.ssl_server_credentials([(key.read_bytes(), cert.read_bytes())])
    with serving(credentials) as (_, address):
        name = f"localhost:{address.rpartition(':')[2]}"
        for tls in (cert, str(cert)):
            with prequel.Client(name, token=TOKEN, tls=tls) as client:
                assert client.model("m").describe().revision == 3


def test_tls_options_that_are_wrong(tmp_path):
    with pytest.raises(prequel.InvalidArgument, match="cert and key go together"):
        prequel.Client(tls=prequel.TLS(cert=b"x"))
    with pytest.raises(prequel.InvalidArgument, match="cannot read .*: No such file"):
        prequel.Client(tls=prequel.TLS(ca=tmp_path / "none.pem"))


def test_nobody_there():
    with prequel.Client("127.0.0.1:1", timeout=5) as client:
        with pytest.raises(prequel.Unavailable, match="no answer from 127.0.0.1:1; is prequeld"):
            client.models()
        model = client.model("m", v1.ModelConfig(features=[v1.Feature(name="x")]))
        with pytest.raises(prequel.Unavailable, match="no answer"):
            model.learn_stream([(np.zeros((1, 1)), [1.0])])
    with pytest.raises(prequel.InvalidArgument, match="timeout: 0"):
        prequel.Client(timeout=0)


def test_a_proxy_does_not_stand_before_this_machine(server, monkeypatch):
    for name in ("http_proxy", "https_proxy", "grpc_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    port = server.address.rpartition(":")[2]
    for address in (server.address, f"localhost:{port}"):
        with prequel.Client(address, timeout=5) as client:
            assert isinstance(client.models(), list)


def test_what_is_no_prequeld(server):
    with server.client() as client, pytest.raises(prequel.Unimplemented, match="older than this"):
        client._connection.upload(prequel.connection.Method("/x.Y/Z", "stream_unary", bytes), [])


def test_a_server_that_passes_over_what_it_does_not_know():
    config = v1.ModelConfig(features=[v1.Feature(name="x")])
    config.robustness.name = "imq"
    with serving() as (_, address), prequel.Client(address, token=TOKEN) as client:
        with pytest.raises(
            prequel.Unimplemented, match=r"made without config\.robustness; .*older than this"
        ):
            client.create("m", config=config)


def test_a_client_that_was_closed(server):
    client = server.client()
    client.close()
    for call in (client.models, client.model("m").open_stream, client.model("m").learn):
        with pytest.raises(prequel.FailedPrecondition, match="client is closed"):
            call(*([[[1.0]], [1.0]] if call.__name__ == "learn" else []))


def test_what_is_done_once_is_asked_again_where_a_call_broke_off():
    def pause(error, repeatable):
        operation = connection.Operation(connection.LEARN, b"", bytes, repeatable=repeatable)
        return connection.Retries(operation, 30).pause(error)

    for lost in (errors.Unavailable("no answer"), errors.Cancelled("broken")):
        assert pause(lost, repeatable=True) is not None
        assert pause(lost, repeatable=False) is None
    assert pause(errors.InvalidArgument("bad"), repeatable=True) is None


def test_clients_are_pickled_by_their_address(tmp_path, monkeypatch):
    secret = tmp_path / "token"
    secret.write_text(TOKEN)
    client = prequel.Client("127.0.0.1:1", token_file=secret, timeout=7.0)
    model = pickle.loads(pickle.dumps(client.model("m")))
    assert (model.name, repr(model)) == ("models/m", "<Model models/m at 127.0.0.1:1>")
    assert TOKEN.encode() not in pickle.dumps(prequel.Client("127.0.0.1:1", token=TOKEN))
    copy, one = pickle.loads(pickle.dumps([client, client.model("m")]))
    assert copy._connection is one._connection
    assert copy._connection.endpoint.token == TOKEN
    assert copy._connection.endpoint.timeout == 7.0
    with pytest.raises(prequel.InvalidArgument, match="token_file: cannot read"):
        prequel.Client(token_file=tmp_path / "none")
    with pytest.raises(prequel.InvalidArgument, match="give one of them"):
        prequel.Client(token=TOKEN, token_file=secret)
    tls = prequel.TLS(cert=b"-----BEGIN", key=b"-----BEGIN")
    with pytest.raises(prequel.InvalidArgument, match="a secret, which is not pickled"):
        pickle.dumps(prequel.connection.Endpoint("127.0.0.1:1", tls=tls))


@pytest.mark.parametrize(
    ("words", "what"),
    [
        ("… CERTIFICATE_VERIFY_FAILED: self signed certificate", "is not signed by who is trusted"),
        ("… Hostname Verification Check failed.", "its certificate is of another name; .*TLS"),
        ("… WRONG_VERSION_NUMBER: …", "it does not speak TLS on this port; leave tls= out"),
        ("… Socket closed", "no answer from .*; does it take TLS"),
        ("… Connection refused", "no answer from .*; is prequeld running there"),
    ],
)
def test_why_a_server_is_not_reached(words, what):
    status = v1.Status(code=14, message=words)
    assert re.search(what, str(from_status(status, "there:1")))


def test_a_proxy_that_stands_between_is_named(monkeypatch):
    monkeypatch.setenv("http_proxy", "http://proxy:3128")
    assert "The proxy of http_proxy=http://proxy:3128" in why_unreachable("…", "there:1")[1]
    assert "proxy" not in why_unreachable("…", "127.0.0.1:1")[1]
