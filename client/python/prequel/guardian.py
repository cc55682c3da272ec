"""A small process that ends a server when the program that started it has ended, however it did.

    python guardian.py PID [FOLDER]

Standard input is a pipe that the program holds open. A byte in it says that the server was stopped,
and the guardian has nothing to do. Its end without a byte, which a SIGKILL of the program brings
about as well, ends the process PID and removes FOLDER.
"""

import os
import select
import shutil
import signal
import sys

_STOPPING = 30.0  # seconds, and then SIGKILL


def main() -> None:
    process = os.pidfd_open(int(sys.argv[1]))
    if sys.stdin.buffer.read(1):
        return
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            signal.pidfd_send_signal(process, number)
        except ProcessLookupError:
            break
        if select.select([process], [], [], _STOPPING)[0]:
            break
    for folder in sys.argv[2:]:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
