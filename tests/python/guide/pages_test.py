"""The commands that the pages show, run as a reader would, and what the pages say they print."""

import os
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import pytest

import prequel

ROOT = Path(__file__).resolve().parents[3]
PAGES = [
    "README.md",
    "client/README.md",
    "docs/first-model.md",
    "docs/calibration.md",
    "docs/time-series.md",
]

# Figures differ in their last digits from one processor to another.
RELATIVE, ABSOLUTE = 0.02, 0.0005
NUMBER = re.compile(r"(?<![\w.])-?\d[\d,]*(?:\.\d+)?(?:e[+-]\d+)?(?![\w])")
CLOCK = re.compile(r"[\d,]+ rows/s|\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC")  # how fast, and when
# What a page shows beside these is of other programs, or would start a second server.
RUN = ("prequel ", "python3 ", "head ", "(head ", "printf ", "sed ")


@dataclass
class Example:
    """A command and the lines that it is said to print; or a file that a reader saves."""

    command: str = ""
    shown: list[str] = field(default_factory=list)
    file: tuple[str, str] | None = None


def examples_of(page):
    examples = []
    for language, body in re.findall(r"^```(\w*)\n(.*?)^```", page, re.M | re.S):
        named = re.match(r"# (\S+\.py)\n", body)
        if language == "python" and named:
            examples.append(Example(file=(named[1], body)))
        shown = None  # of the command above
        for line in body.splitlines() if not language else ():
            if line.startswith("$ "):
                examples.append(Example(line[2:]))
                shown = examples[-1].shown
            elif shown is not None:
                shown.append(line)
    return examples


def same(shown, printed):
    """Whether a line is as it is shown: its words to the letter, its figures nearly."""
    shown, printed = CLOCK.sub("T", shown), CLOCK.sub("T", printed)
    words = [" ".join(NUMBER.sub(" # ", text).split()) for text in (shown, printed)]
    if words[0] != words[1]:
        return False
    pairs = zip(NUMBER.findall(shown), NUMBER.findall(printed), strict=True)
    numbers = [(float(a.replace(",", "")), float(b.replace(",", ""))) for a, b in pairs]
    return all(abs(a - b) <= RELATIVE * max(abs(a), abs(b)) + ABSOLUTE for a, b in numbers)


def first_difference(shown, printed):
    """The first line that is shown and was not printed where it is shown; None: there is none.
    A line of dots stands for any number of lines."""
    at, skipping = 0, False
    shown, printed = ([line for line in lines if line.strip()] for lines in (shown, printed))
    for line in shown:
        if line.strip() in ("…", "..."):
            skipping = True
            continue
        while skipping and at < len(printed) and not same(line, printed[at]):
            at += 1
        if at == len(printed) or not same(line, printed[at]):
            return line
        at, skipping = at + 1, False
    return None if skipping or at == len(printed) else printed[at]


def test_what_is_the_same():
    assert same("nll     0.0988", "nll  0.0991") and not same("nll 0.0988", "nll 0.1188")
    assert not same("nll 0.0988", "ece 0.0988") and not same("20 rows", "21 rows of")
    assert not same("weight 0.0010", "weight 0.0025")
    assert same("64 rows, 9,000 rows/s", "64 rows, 12 rows/s")
    assert not same("64 rows, 9,000 rows/s", "32 rows, 9,000 rows/s")
    assert first_difference(["a", "…", "d"], ["a", "b", "c", "d"]) is None
    assert first_difference(["a", "…"], ["a", "b"]) is None
    assert first_difference(["a", "b"], ["a"]) == "b"
    assert first_difference(["a"], ["a", "b"]) == "b"
    assert first_difference(["a", "…", "d"], ["a", "b"]) == "d"


@pytest.mark.parametrize("page", PAGES)
def test_the_page(page, tmp_path):
    examples = examples_of((ROOT / page).read_text(encoding="utf-8"))
    if any("elec2.csv" in example.command for example in examples):
        if not os.environ.get("PREQUEL_DATA_DIR"):
            pytest.skip("PREQUEL_DATA_DIR is not set")
        data = Path(os.environ["PREQUEL_DATA_DIR"]) / "streams" / "elec2.csv"
        (tmp_path / "elec2.csv").write_bytes(data.read_bytes())
    with prequel.Server(data_dir=tmp_path / "data") as server:
        environment = dict(os.environ, PREQUEL_SERVER=server.address)
        environment["PATH"] = f"{Path(os.environ['PREQUEL']).parent}:{os.environ['PATH']}"
        compared = 0
        for example in examples:
            if example.file:
                (tmp_path / example.file[0]).write_text(example.file[1], encoding="utf-8")
            if not example.command or not example.command.startswith(RUN):
                continue
            command = example.command.split("    #")[0]
            done = subprocess.run(
                ["bash", "-c", command], cwd=tmp_path, env=environment, text=True,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300,
            )  # fmt: skip
            fails = any(line.startswith("prequel: ") for line in example.shown)
            assert (done.returncode != 0) == fails, f"{page}: {command} printed\n{done.stdout}"
            if example.shown:
                compared += 1
                difference = first_difference(example.shown, done.stdout.splitlines())
                message = f"{page}: {command} printed\n{done.stdout}not {difference!r}"
                assert difference is None, message
        assert compared > 2, f"{page}: its commands have not been found"
