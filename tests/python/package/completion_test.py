"""What the shell offers, by the script that `prequel completion bash` prints."""

import os
import subprocess

import pytest

SCRIPT = """
source <("$PREQUEL" completion bash)
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
_prequel 2>/dev/null
printf '%s\\n' "${COMPREPLY[@]}"
"""


def offered(server, *words):
    """Of a command line whose last word is being written."""
    command = ["bash", "-c", SCRIPT, "bash", os.environ["PREQUEL"], *words]
    environment = {**os.environ, "PREQUEL_SERVER": server.address}
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    return done.stdout.split()


@pytest.fixture
def model(client, name):
    client.create(name, inputs=2, target="y", likelihood="gaussian")
    return name


def test_models(server, model):
    assert model in offered(server, "describe", "")
    assert model in offered(server, "describe", model[:-1])
    assert offered(server, "create", "") == []
    assert offered(server, "describe", "no-such") == []


def test_which_server_is_asked(server, model, monkeypatch):
    asked = ["--server", server.address, "describe", ""]
    monkeypatch.setattr(server, "address", "127.0.0.1:1", raising=False)
    assert model in offered(server, *asked)
    assert model not in offered(server, "describe", "")


def test_subcommands_flags_and_words(server):
    assert {"create", "learn", "token"} <= set(offered(server, ""))
    assert offered(server, "token", "") == ["new"]
    assert "--role" in offered(server, "token", "new", "--")
    assert offered(server, "completion", "") == ["bash", "zsh"]
    assert "moons" in offered(server, "generate", "")
    flags = offered(server, "learn", "m", "--")
    assert "--csv" in flags and flags.count("--help") == 1


def test_parts_and_files(server, model):
    assert "rvga" in offered(server, "create", "x", "--rule", "")
    assert offered(server, "create", "x", "--option", "rule.pas") == ["rule.passes="]
    assert "low_rank" in offered(server, "parts", "lo")
    assert offered(server, "learn", model, "--csv", "") == []  # the shell's own: files
