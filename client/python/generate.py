"""Writes prequel/v1 anew from proto/: run it after a change there, with protoc of Debian 12.

`python3 client/python/generate.py` writes messages.binpb and __init__.pyi; with `--check` it says
whether they are in step, and changes nothing.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROTO = HERE.parents[1] / "proto"
PACKAGE = HERE / "prequel" / "v1"
# Those that others build on come first.
FILES = [
    "google/rpc/error_details.proto",
    "google/rpc/status.proto",
    "prequel/v1/tensor.proto",
    "prequel/v1/batch.proto",
    "prequel/v1/config.proto",
    "prequel/v1/prediction.proto",
    "prequel/v1/learning_service.proto",
    "prequel/v1/model_service.proto",
    "prequel/v1/part_service.proto",
]

STUB_HEAD = '"""Messages of the wire contract. Made of proto/ by generate.py: do not edit."""\n'


def protoc(*arguments: str) -> None:
    subprocess.run(["protoc", f"-I{PROTO}", *arguments, *FILES], check=True)


def messages() -> bytes:
    """A FileDescriptorSet of all files and of what they import."""
    with tempfile.NamedTemporaryFile() as file:
        protoc("--include_imports", f"--descriptor_set_out={file.name}")
        return Path(file.name).read_bytes()


def stub() -> str:
    """The type stubs that protoc makes, as one module."""
    imports = {"from typing import Any as _Any"}
    bodies: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        protoc(f"--pyi_out={folder}")
        for name in FILES:
            text = (Path(folder) / name).with_suffix("").with_name(Path(name).stem + "_pb2.pyi")
            lines = text.read_text().splitlines()
            head = [line for line in lines if line.startswith(("from ", "import "))]
            rest = [line for line in lines if line not in head]
            imports.update(
                line for line in head if not re.match(r"from (prequel|google\.rpc)", line)
            )
            body = "\n".join(line for line in rest if not line.startswith("DESCRIPTOR:"))
            body = body.replace(", _Mapping]", ", _Mapping[str, _Any]]")
            body = body.replace("__slots__ = []", "__slots__: list[str] = []")
            bodies.append(re.sub(r"_(\w+_pb2)\.", _local, body).strip())
    return STUB_HEAD + "\n".join(sorted(imports)) + "\n\n" + "\n\n".join(bodies) + "\n"


def _local(match: re.Match[str]) -> str:
    """What is made of FILES is in the one module; well-known types stay where they are."""
    ours = {f"{Path(name).stem}_pb2" for name in FILES}
    return "" if match.group(1) in ours else match.group(0)


def main() -> int:
    made = {PACKAGE / "messages.binpb": messages(), PACKAGE / "__init__.pyi": stub().encode()}
    if "--check" in sys.argv[1:]:
        stale = [path for path, data in made.items() if not _is(path, data)]
        for path in stale:
            print(f"{path} is not in step with proto/: run client/python/generate.py")
        return 1 if stale else 0
    for path, data in made.items():
        path.write_bytes(data)
    return 0


def _is(path: Path, data: bytes) -> bool:
    return path.exists() and path.read_bytes() == data


if __name__ == "__main__":
    sys.exit(main())
