"""A server of one's own, on this machine."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from prequel import guardian
from prequel.client import Client
from prequel.errors import InvalidArgument, NotFound, Unavailable

_LISTENING = re.compile(rb"prequeld listening on (\S+)(?: \(http (\S+)\))?")
_STOPPING = 30.0  # seconds, and then SIGKILL


class Server:
    """A `prequeld` process. As a context it is stopped at the end, and its data directory removed
    unless it was given. Without one, both happen when this program ends, even by SIGKILL."""

    def __init__(
        self,
        data_dir: str | os.PathLike[str] | None = None,
        *,
        flags: Sequence[str] = (),
        program: str | os.PathLike[str] | None = None,
    ) -> None:
        """
        Args:
            data_dir: where the models are kept; None: a temporary directory.
            flags: more of prequeld's, such as "--sync=false"; `--listen` is a free port of the
                loopback interface unless it is among them.
            program: prequeld; None: PREQUELD, or the one on the PATH.
        """
        self._program = _program(program)
        self._flags = list(flags)
        self._temporary = data_dir is None
        folder = data_dir if data_dir is not None else tempfile.mkdtemp(prefix="prequel-")
        self.data_dir = Path(folder)
        self.address = ""
        self.http_address = ""  # where `flags` have --http
        self._process: subprocess.Popen[bytes] | None = None
        self._log: IO[bytes] | None = None
        self._guardian: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        """Of the process that runs. Requires that one does."""
        assert self._process is not None, "the server is not running"
        return self._process.pid

    def start(self) -> Server:
        """Starts it, on the address that it had before, and waits until it listens.

        Raises:
            Unavailable: when it ends instead, with what it said.
        """
        if self._process is not None:
            return self
        listen = self.address or "127.0.0.1:0"
        own = [f"--data-dir={self.data_dir}"]
        if not any(flag.startswith("--listen") for flag in self._flags):
            own.append(f"--listen={listen}")
        if not any(flag.startswith("--http") for flag in self._flags):
            own.append("--http=")
        self._log = tempfile.TemporaryFile()  # noqa: SIM115
        self._process = subprocess.Popen(
            [self._program, *own, *self._flags],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=self._log,
            start_new_session=True,  # Ctrl-C at a prompt is for Python
        )
        self._guard(self._process.pid)
        assert self._process.stdout is not None
        for line in self._process.stdout:
            match = _LISTENING.match(line)
            if match:
                self.address = match[1].decode()
                self.http_address = (match[2] or b"").decode()
                return self
        code = self._process.wait()
        said = self.log().strip() or f"exit code {code}"
        self._forget()
        raise Unavailable(f"prequeld did not start: {said}")

    def stop(self) -> None:
        """SIGTERM, which lets calls in progress end; SIGKILL when that takes too long."""
        if self._process is None:
            return
        self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(_STOPPING)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._forget()

    def kill(self) -> None:
        """SIGKILL: as if the power had failed. What was acknowledged is there after `start`."""
        if self._process is None:
            return
        self._process.kill()
        self._process.wait()
        self._forget()

    def log(self) -> str:
        """What the process has said on its standard error."""
        if self._log is None:
            return ""
        self._log.seek(0)
        return self._log.read().decode("utf-8", "replace")

    def client(self, **options: Any) -> Client:
        """A client of it; options are Client's."""
        return Client(self.address, **options)

    def close(self) -> None:
        """Stops it, and removes a temporary data directory."""
        self.stop()
        if self._temporary:
            shutil.rmtree(self.data_dir, ignore_errors=True)

    def __enter__(self) -> Server:
        try:
            return self.start()
        except BaseException:
            self.close()
            raise

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _guard(self, pid: int) -> None:
        """Sees to it that the process does not outlive this one."""
        folder = [os.fspath(self.data_dir)] if self._temporary else []
        self._guardian = subprocess.Popen(
            [sys.executable, "-I", guardian.__file__, str(pid), *folder],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def _dismiss_guardian(self) -> None:
        if self._guardian is not None:
            with contextlib.suppress(BrokenPipeError):
                self._guardian.communicate(b"x")
        self._guardian = None

    def _forget(self) -> None:
        self._dismiss_guardian()
        if self._process is not None and self._process.stdout is not None:
            self._process.stdout.close()
        if self._log is not None:
            self._log.close()
        self._process = self._log = None


@contextlib.contextmanager
def serve(
    data_dir: str | os.PathLike[str] | None = None,
    *,
    flags: Sequence[str] = (),
    program: str | os.PathLike[str] | None = None,
    **options: Any,
) -> Iterator[Client]:
    """Starts a server (see `Server`) and gives a client of it; both end with the context. Without
    `data_dir` its models end, too. `options` are Client's."""
    with Server(data_dir, flags=flags, program=program) as server, server.client(**options) as made:
        yield made


def _program(given: str | os.PathLike[str] | None) -> str:
    wanted = os.fspath(given) if given is not None else os.environ.get("PREQUELD", "")
    found = shutil.which(wanted or "prequeld")
    if found is None:
        if wanted:
            raise NotFound(f"{wanted} is no program: is PREQUELD, or program=, right?")
        raise NotFound(
            "no prequeld on the PATH: build it (./dev build) and put build/release/bin on the "
            "PATH, or name it in PREQUELD"
        )
    if not os.access(found, os.X_OK):
        raise InvalidArgument(f"{found} is not executable")
    return found
