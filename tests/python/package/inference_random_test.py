"""Tables of odd cells drawn at random: the package and the command line see the same in them."""

import random

import inference_test
import pytest

CELLS = (
    ["1", "2", "3.5", "-4", "1e5", "+7", "0", "0.0", "1.0", "NA", "", "null", "?", "a", "b", "yes"]
    + ["no", "True", "1,234", "1,5", "$5", "5 %", "2024-01-31", "2024/2/1", "2024.3.4", "31/1/2024"]
    + ["1/2/2024", "1/31/2024", "10:15", "10:15 pm", "25:00", "2024-01-31 10:15", "Jan 5", "1/2/24"]
    + ["2024-01-31T10:15:30.5Z", "5 May 2024", "nan", "inf", "1e150", "1_000", "0x1F", " 3 ", "é"]
    + ["x" * 70, "Ü'q", "12-13", "1.2.3", "2024-13-01", "'", "1'234", "1.234,5", "1 234", "-", "+"]
    + ["e5", ".5", "5.", "-.5e-3", "1e400", "1e-400", "maybe", "2024-1-1 1:02", "24:00", "--5"]
    + ["23:59:60", "23:59:61", "3.4.2024", "31-1-2024", "99/99/9999", "0/1/2024", "1\u00a0234"]
    + ["€ 1.234,50", "1e", "Infinity", "-inf", "N/A", "none", "None", "\u0661"]
)


def column(rng, rows):
    """Mostly of one cell, of a few, or of numbers or dates; now and then with a stray one."""
    few = rng.sample(CELLS, rng.choice([1, 2, 3, 5, 12]))
    share = rng.choice([0, 0.5, 0.9, 0.95, 0.99])
    below = rng.choice([2, 5, 30, 10_000])
    digits = rng.choice([0, 1, 3])
    draw = rng.choice(
        [
            lambda: few[0] if rng.random() < share else rng.choice(few),
            lambda: str(rng.randrange(below)),
            lambda: repr(round(rng.gauss(0, 2), digits)),
            lambda: f"{rng.randrange(1, 29)}/{rng.randrange(1, 13)}/2023",
        ]
    )
    stray = rng.choice([0, 0, 0.03])
    return [rng.choice(CELLS) if rng.random() < stray else draw() for _ in range(rows)]


@pytest.mark.parametrize("seed", range(120))
def test_random_tables(seed, tmp_path):
    rng = random.Random(seed)
    rows = rng.choice([3, 8, 20, 60, 150])
    # The reader passes over lines without a cell: each row of the last input has one.
    table = {"a": column(rng, rows), "b": [*map(str, range(rows))], "y": column(rng, rows)}
    flags, options = ["--target=y", "--header"], {"target": "y"}
    if rng.random() < 0.3:
        options["likelihood"] = rng.choice(["gaussian", "categorical", "bernoulli", "poisson"])
        flags.append(f"--likelihood={options['likelihood']}")
    if rng.random() < 0.2:
        options["text"] = ["a"]
        flags.append("--text=a")
    inference_test.compare(tmp_path / "t.csv", table, *flags, **options)
