"""What is made of a table is what `prequel create --from-csv` makes of a file of the same cells."""

import contextlib
import csv
import datetime
import json
import os
import random
import re
import subprocess

import numpy as np
import pytest
from google.protobuf import json_format

import prequel
from prequel import v1
from prequel.data.moment import FORMS, parse_moment
from prequel.data.number import nearest_name, parse_number, quoted
from prequel.inference.number_advice import number_advice
from prequel.inference.schema import infer

ROWS = 120
rng = random.Random(5)


def column(*values):
    return [values[i % len(values)] for i in range(ROWS)]


def drawn(make):
    return [make() for _ in range(ROWS)]


NUMBERS = drawn(lambda: repr(round(rng.gauss(0, 3), 3)))
COUNTS = drawn(lambda: str(int(rng.expovariate(0.1))))
DATES = drawn(lambda: str(datetime.date(2020, 1, 1) + datetime.timedelta(rng.randrange(900))))
WORDS = drawn(lambda: rng.choice("abcdefgh"))

INPUTS = {
    "numbers": NUMBERS,
    "padded": [f" {v}\t" for v in NUMBERS],
    "missing": column("1.5", "", "2"),
    "words_for_none": column("1", "NA", "n/a", "3"),
    "constant": column("7"),
    "empty": column(""),
    "words": WORDS,
    "mostly_words": column("1", "x", "y", "2", "z"),
    "many_words": [f"w{i}" for i in range(ROWS)],
    "some_words": [f"w{i % 100}" for i in range(ROWS)],
    "nearly_numbers": column(*["1"] * 19, "abc"),
    "thousands": column("1,234", "5,678.5"),
    "decimal_commas": column("1,5", "2,75"),
    "money": column("$ 12", "$ 13.50"),
    "percent": column("12%", "3%"),
    "swiss": column("1'234", "12"),
    "infinite": column("1", "2", "inf"),
    "huge": column("1", "1e200"),
    "zeros": column("01234", "56", "007"),
    "beyond_doubles": column("9007199254740992", "9007199254740993", "1"),
    "compact_dates": column("20260131", "20261231"),
    "months": column("2026-01", "2025-12"),
    "nearly_months": column("2026-01", "2026-13"),
    "offsets": column("2026-10-25T02:30:00+02:00", "2026-10-25T02:30:00+01:00"),
    "dates": DATES,
    "european": column("31/1/2024", "3/4/2024"),
    "american": column("1/31/2024", "3/4/2024"),
    "undecided": column("3/4/2024", "5/6/2024"),
    "mixed_dates": column(*["2024-01-31"] * 19, "31 Jan 2024"),
    "both_orders": column("31/1/2024", "1/31/2024"),
    "stamps": column("2024-01-31T10:15:00Z", "2024-02-01 11:00", "2024-02-02"),
    "times": column("10:15", "9:30 PM", "23:59:59.5"),
    "short_years": column("31/1/24", "1/2/24"),
    "no_such_day": column("2024-02-30", "2024-02-28"),
    "missing_dates": column("2024-01-31", "", "2024-03-01"),
    "missing_word_among_words": column("a", "NA", "b"),
    "long": column("a", "x" * 1100),
    "odd": column("tab\there", "new\nline", "ü" * 40),
    "plus": column("+5", "-3", "+1e3", ".5", "5."),
    "truth": column("True", "False"),
    "hex": column("0x10", "1"),
    "underscores": column("1_000", "2"),
}

TARGETS = {
    "zero_one": column("0", "1", "1"),
    "one_two": column("1", "2"),
    "digits": column(*"0123456789"),
    "grades": column("3", "7", "12"),
    "floats": NUMBERS,
    "counts": COUNTS,
    "ages": drawn(lambda: str(18 + int(rng.expovariate(0.08)))),
    "years": drawn(lambda: str(rng.randrange(1950, 2020))),
    "prices": drawn(lambda: str(100 * rng.randrange(1, 500))),
    "few_whole": [str(i % 7) for i in range(ROWS - 1)] + ["-3"],
    "ids": [str(i) for i in range(ROWS)],
    "yes_no": column("yes", "no"),
    "words": WORDS,
    "rare": [*WORDS[:-3], "x", "y", "z"],
    "many": [f"w{i}" for i in range(ROWS)],
    "labels_with_a_number": column("a", "b", "7"),
    "unknown": column("yes", "NA", "no", ""),
    "unknown_numbers": column("1.5", "", "2.5", "9.25"),
    "one": column("same"),
    "none": column(""),
    "dates": DATES,
    "thousands": column(*[f"1,{i:03}" for i in range(60)]),
    "nearly_numbers": [*NUMBERS[:-1], "abc"],
    "infinite": [*NUMBERS[:-1], "inf"],
    "halves": column("0", "0.5", "1"),
    "quarters": drawn(lambda: str(15 * rng.randrange(40))),
    "long": column("a", "x" * 1100),
}


def in_words_of_python(text):
    """What the command line says of a file, as the package says it of a table."""
    text = re.sub(r"--(ignore|text)\b", r"`\1`", text)
    text = re.sub(r"--labels", "`labels`", text)
    text = re.sub(r"--likelihood (\w+)", r'likelihood="\1"', text)
    text = re.sub(r"\b(with|or) (poisson|negative_binomial)\b", r'\1 "\2"', text)
    text = re.sub(r"\bwith `(\w+)`", r"with \1", text)
    text = text.replace("as --time by", "as `times` by")
    text = text.replace("name a --likelihood", "name a likelihood").replace("an empty cell", "None")
    return re.sub(r"\bline (\d+)", lambda m: f"row {int(m[1]) - 2}", text)


def of_command_line(path, *flags):
    """Config and notes, or the refusal."""
    command = [os.environ["PREQUEL"], "create", "m", "--dry-run", f"--from-csv={path}", *flags]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        text = done.stderr.split("prequel: ", 1)[1].splitlines()[0]
        return None, in_words_of_python(text.removeprefix(f"{path}: ").split("; see `prequel")[0])
    notes = re.findall(r"^note: (.*)$", done.stderr, re.M)
    config = json_format.ParseDict(json.loads(done.stdout), v1.ModelConfig())
    return plain(config), [in_words_of_python(note) for note in notes]


def plain(config):
    config.target.ClearField("label_type")  # cells of a file have no types
    return [*map(str, config.features), str(config.target), config.likelihood.name]


def of_package(table, **options):
    try:
        schema = infer(table, **options)
    except prequel.InvalidArgument as error:
        return None, str(error)
    return plain(schema.config), list(schema.notes)


def write(path, table):
    with path.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(table)
        writer.writerows(zip(*table.values()))


def compare(path, table, *flags, **options):
    write(path, table)
    theirs = of_command_line(path, *flags)
    # Cells of several lines move what comes after them: their rows cannot be told from lines.
    assert of_package(table, **options) == theirs


@pytest.mark.parametrize("kind", INPUTS)
def test_inputs(kind, tmp_path):
    table = {"a": INPUTS[kind], "other": NUMBERS, "y": TARGETS["yes_no"]}
    compare(tmp_path / "t.csv", table, "--target=y", target="y")


@pytest.mark.parametrize("kind", ["numbers", "nearly_numbers", "dates", "long", "missing"])
def test_inputs_as_text(kind, tmp_path):
    table = {"a": INPUTS[kind], "y": TARGETS["yes_no"]}
    compare(tmp_path / "t.csv", table, "--target=y", "--text=a", target="y", text=["a"])


@pytest.mark.parametrize("kind", TARGETS)
def test_targets(kind, tmp_path):
    table = {"a": NUMBERS[::-1], "y": TARGETS[kind]}
    compare(tmp_path / "t.csv", table, "--target=y", target="y")


@pytest.mark.parametrize("likelihood", ["gaussian", "categorical", "bernoulli", "poisson"])
@pytest.mark.parametrize("kind", ["digits", "words", "zero_one", "floats"])
def test_likelihoods_that_were_asked_for(kind, likelihood, tmp_path):
    table = {"a": NUMBERS[::-1], "y": TARGETS[kind]}
    flags = ["--target=y", f"--likelihood={likelihood}"]
    compare(tmp_path / "t.csv", table, *flags, target="y", likelihood=likelihood)


def test_all_columns_at_once(tmp_path):
    kinds = ("numbers", "constant", "words", "dates", "mostly_words", "times", "empty", "missing")
    table = {kind: INPUTS[kind] for kind in kinds}
    table |= {"again": INPUTS["numbers"], "leak": TARGETS["yes_no"], "y": TARGETS["yes_no"]}
    compare(tmp_path / "t.csv", table, "--target=y", target="y")
    flags = ["--target=y", "--inputs=numbers,words:text", "--ignore=again"]
    options = {"target": "y", "inputs": ["numbers", "words:text"], "ignore": ["again"]}
    compare(tmp_path / "t.csv", table, *flags, **options)
    many = {f"c{i}": INPUTS["constant"] for i in range(30)} | {"y": TARGETS["floats"]}
    compare(tmp_path / "t.csv", many, "--target=y", target="y")


def test_columns_whose_names_end_as_text_does(tmp_path):
    for table in (
        {"a:text": NUMBERS, "y": TARGETS["yes_no"]},
        {"a": NUMBERS[::-1], "a:text": INPUTS["words"], "y": TARGETS["yes_no"]},
    ):
        compare(tmp_path / "t.csv", table, "--target=y", target="y")


def test_public_streams(tmp_path):
    """The data sets of the C++ tests, where they are."""
    folder = os.environ.get("PREQUEL_DATA_DIR")
    if not folder:
        pytest.skip("PREQUEL_DATA_DIR is not set")
    found = sorted(f for f in os.listdir(f"{folder}/streams") if f.endswith(".csv"))
    assert found
    for file in found:
        with open(f"{folder}/streams/{file}", newline="") as lines:
            rows = list(csv.reader(lines))
        table = {name: [row[i] for row in rows[1:]] for i, name in enumerate(rows[0])}
        target = "y" if "y" in table else rows[0][-1]
        compare(tmp_path / file, table, f"--target={target}", "--header", target=target)


@pytest.mark.parametrize("kind", ["numbers", "missing", "words", "dates", "truth", "constant"])
def test_typed_columns_as_their_cells(kind):
    pd = pytest.importorskip("pandas")
    cells = {"a": INPUTS[kind], "y": TARGETS["floats"]}
    frame = pd.DataFrame(cells).replace("", None)
    typed = frame.assign(a=frame.a.astype(float) if kind in ("numbers", "missing") else frame.a)
    typed = typed.assign(y=frame.y.astype(float))
    if kind == "dates":
        typed = typed.assign(a=pd.to_datetime(frame.a))
    if kind == "truth":
        typed = typed.assign(a=frame.a == "True")
    assert of_package(typed, target="y") == of_package(cells, target="y")


def test_matrices():
    X, y = np.ones((60, 3)), np.arange(60) % 2
    schema = infer(X, y)
    assert [(f.name, f.width) for f in schema.config.features] == [("x", 3)]
    assert schema.config.likelihood.name == "bernoulli"
    X[3, 1] = np.nan
    assert infer(X, y).config.features[0].allow_missing
    X[3, 1] = np.inf
    with pytest.raises(prequel.InvalidArgument, match="row 3, column 1: an infinite input"):
        infer(X, y)
    with pytest.raises(prequel.InvalidArgument, match="which target"):
        infer(X)
    with pytest.raises(prequel.InvalidArgument, match="X has 60 rows and y has 59"):
        infer(np.ones((60, 3)), y[1:])


def test_bad_options():
    table = {"a": [1, 2], "y": [0.5, 1.5]}
    with pytest.raises(prequel.InvalidArgument, match="no column 'z'"):
        infer(table, target="z")
    with pytest.raises(prequel.InvalidArgument, match="no column 'aa'"):
        infer(table, target="y", ignore=["aa"])
    with pytest.raises(prequel.InvalidArgument, match="no input column is left"):
        infer(table, target="y", ignore=["a"])


def test_notes_are_warnings(client, name):
    table = {"a": NUMBERS, "b": INPUTS["constant"], "y": TARGETS["digits"]}
    with pytest.warns(prequel.InferenceNote) as caught:
        model = client.create(name, table, target="y")
    assert tuple(str(w.message) for w in caught) == model.notes
    assert len(model.notes) == 2
    assert all(w.filename == __file__ for w in caught)


@pytest.mark.parametrize(
    ("text", "number"),
    [("1", 1), (" -2.5e3 ", -2500), ("+.5", 0.5), ("5.", 5), ("inf", np.inf), ("1_0", None),
     ("", None), ("+-1", None), ("0x1", None), ("１", None), ("1e", None), ("NaN(7)", np.nan)],
)  # fmt: skip
def test_numbers(text, number):
    found = parse_number(text)
    assert found is number or found == number or (found != found and number != number)


def test_advice():
    assert number_advice("1.234,5") == "has a decimal comma: write 1234.5"
    assert number_advice("€ 1.234,50") == "is a number with a unit and separators: write 1234.5"
    assert number_advice("12,34,567") == ""
    assert number_advice("1,234 567") == ""
    assert quoted("a\x01\n" + "x" * 70) == "'a\\x01\\n" + "x" * 57 + "…'"
    assert nearest_name("prcie", ["price", "rice"]) == "price"


def test_moment_forms():
    year, _, stamp, day, month = FORMS[1], FORMS[0], FORMS[2], FORMS[3], FORMS[4]
    assert parse_moment("2024-2-29", year) == (19782, 0.0)
    assert parse_moment("2023-2-29", year) is None
    assert parse_moment("2024-2/29", year) is None
    assert parse_moment("3/4/2024", day) == parse_moment("4/3/2024", month)
    assert parse_moment("2024-01-31T10:15:30.25+0200", stamp) == (19753, 36930.25)
    assert parse_moment("2024-01-31 12:15 am", stamp) == (19753, 900.0)
    assert parse_moment("2024-01-31 25:00", stamp) is None


def test_numbers_of_arrays_that_may_not_be_meant_as_numbers_are_noted():
    y = np.array([0.5, 1.5])
    (note,) = infer({"id": np.array([2**53 + 1, 1])}, y, likelihood="gaussian").notes
    assert "integers beyond 2^53, such as '9007199254740993' (row 0)" in note
    (note,) = infer({"d": np.array([20260131, 20260228])}, y, likelihood="gaussian").notes
    assert "look like dates, such as '20260131' (row 0)" in note and "`text` takes it" in note
    (note,) = infer({"m": ["2026-01", "2026-02"]}, y, likelihood="gaussian").notes
    assert "column 'm' has months such as '2026-01', and is taken for text" in note
    zones = [datetime.timezone(datetime.timedelta(hours=h)) for h in (2, 1)]
    when = [datetime.datetime(2026, 10, 25, 2, i, tzinfo=zone) for i, zone in enumerate(zones)]
    (note,) = infer({"t": when}, y, likelihood="gaussian").notes
    assert "its offsets differ (" in note and "in row 1)" in note
    for plain in (np.array([1, 2], dtype=np.uint8), np.array([0.5, np.inf]), np.array([7.0, 8.0])):
        with contextlib.suppress(prequel.InvalidArgument):
            assert infer({"a": plain}, y, likelihood="gaussian").notes == ()


def test_several_targets_by_their_names(client, name):
    draws = np.random.default_rng(1)
    x = draws.normal(size=(400, 2))
    data = {"a": x[:, 0], "b": x[:, 1], "lo": x[:, 0] - 2, "hi": x[:, 1] + 2}
    model = client.create(name, data, target=["lo", "hi"], seed=1)
    config = model.describe().config
    assert (config.target.name, config.target.width) == ("lo,hi", 2)
    assert [feature.name for feature in config.features] == ["a", "b"]
    model.learn(data)
    mean = model.predict(data).mean
    np.testing.assert_allclose(mean, np.column_stack([data["lo"], data["hi"]]), atol=0.2)
    with pytest.raises(prequel.InvalidArgument, match="no column 'hi'"):
        model.learn({key: data[key] for key in ("a", "b", "lo")})
    made = client.create(f"{name}-b", inputs=["a", "b"], target=["lo", "hi"])
    made.learn(data)
    with pytest.raises(prequel.InvalidArgument, match="is no name without a comma"):
        client.create(f"{name}-c", data, target=["lo,", "hi"])
