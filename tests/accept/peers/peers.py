"""Compares what our rules came to with what independent implementations make of the same data.

usage: peers.py FILE [--json] [--results FOLDER]

FILE is of prequel_peers. Each section sets one peer beside what we came to; it is skipped, with the
reason, when its peer is not installed. Exit status 1 when a bound is exceeded, or nothing could be
compared.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys

from report import Report

# The module of each section (its name is of the peer), and what it says.
SECTIONS = {
    "against_filterpy": "filterpy: linear regression of known noise is a Kalman filter",
    "against_scipy": "scipy: predictive distributions",
    "against_laplace": "laplace-torch: the curvature of a network at given weights",
    "against_ivon": "ivon-opt: steps of IVON, given the same normals",
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="./dev accept peers")
    parser.add_argument("file", metavar="FILE", help="of prequel_peers")
    parser.add_argument("--json", action="store_true", help="print an array of the checks")
    parser.add_argument("--results", metavar="FOLDER", help="write FOLDER/peers.md too")
    arguments = parser.parse_args()
    with open(arguments.file, encoding="utf-8") as file:
        ours = json.load(file)

    report = Report(as_json=arguments.json)
    for module, title in SECTIONS.items():
        report.section(title)
        try:
            peer = importlib.import_module(module)
        except (ImportError, OSError) as reason:  # OSError: a shared library of torch
            report.skip(module.replace("_", " "), str(reason))
            continue
        peer.compare(ours, report)
    if arguments.results:
        report.write_results(arguments.results, "peers")
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
