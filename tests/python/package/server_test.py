"""Servers of one's own."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import prequel


def is_running(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def becomes(condition):
    """Whether it holds within half a minute: health is looked at five times a second."""
    for _ in range(300):
        if condition():
            return True
        time.sleep(0.1)
    return False


def test_serve_and_everything_is_gone():
    with prequel.serve() as client:
        model = client.create("line", np.arange(4.0).reshape(4, 1), [0.5, 1.5, 2.5, 3.0])
        model.learn([[1.0]], [1.5])
        assert becomes(client.serving)
    with pytest.raises(prequel.PrequelError):
        client.models()


def test_a_data_directory_is_kept(tmp_path):
    with prequel.serve(tmp_path / "data") as client:
        client.create("a", inputs=1, target="y", likelihood="gaussian")
    with prequel.serve(tmp_path / "data") as client:
        assert [model.name for model in client.models()] == ["models/a"]


def test_stop_kill_and_start_again():
    server = prequel.Server()
    with server:
        address, pid, folder = server.address, server.pid, server.data_dir
        server.start()
        assert server.pid == pid
        server.kill()
        assert not is_running(pid)
        server.start()
        assert server.address == address and server.pid != pid
        server.stop()
        server.start()
    assert not folder.exists()
    server.close()


def test_a_server_that_does_not_start(tmp_path):
    with prequel.Server(tmp_path / "data"):
        with pytest.raises(prequel.Unavailable, match="prequeld did not start: .*data"):
            prequel.Server(tmp_path / "data").start()
    with pytest.raises(prequel.Unavailable, match="did not start"):
        prequel.Server(flags=["--no-such-flag"]).__enter__()


@pytest.mark.parametrize("end", ["exit", "kill"])
def test_a_server_does_not_outlive_its_program(end):
    last = "os.kill(os.getpid(), signal.SIGKILL)" if end == "kill" else "pass"
    program = (
        "import os, signal, prequel\n"
        "server = prequel.Server().start()\n"
        "print(server.pid, server.data_dir, flush=True)\n" + last
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == (-signal.SIGKILL if end == "kill" else 0), done.stderr
    pid, folder = done.stdout.split()
    deadline = time.monotonic() + 60
    while (is_running(int(pid)) or os.path.exists(folder)) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not is_running(int(pid)) and not os.path.exists(folder)


def test_no_program(monkeypatch, tmp_path):
    monkeypatch.delenv("PREQUELD")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(prequel.NotFound, match="no prequeld on the PATH: build it"):
        prequel.Server()
    monkeypatch.setenv("PREQUELD", "/nowhere/prequeld")
    with pytest.raises(prequel.NotFound, match="/nowhere/prequeld is no program"):
        prequel.Server()
