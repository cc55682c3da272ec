"""What was measured, printed as `./dev accept` prints it."""

from __future__ import annotations

import json
import math
import os
from dataclasses import dataclass, field


@dataclass
class Check:
    """One number, and the most that it may be."""

    name: str
    value: float
    bound: float
    setting: str = ""

    def passes(self) -> bool:
        """NaN does not."""
        return self.value <= self.bound


@dataclass
class Section:
    title: str
    checks: list[Check] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)


class Report:
    """Collects checks, printing each as it comes unless it will print JSON."""

    def __init__(self, as_json: bool = False) -> None:
        self._json = as_json
        self._sections: list[Section] = []

    def section(self, title: str) -> None:
        self._sections.append(Section(title))
        self._print(f"\n{title}")

    def at_most(self, name: str, value: float, bound: float, setting: str = "") -> None:
        check = Check(name, float(value), bound, setting)
        self._sections[-1].checks.append(check)
        word = "ok" if check.passes() else "FAIL"
        line = f"  {word:4} {name:58} {check.value:12.6g}             <= {bound:<9.6g} {setting}"
        self._print(line.rstrip())

    def skip(self, name: str, reason: str) -> None:
        """A skip never passes silently: it is counted."""
        self._sections[-1].skipped.append(f"{name}: {reason}")
        self._print(f"  skip {name}: {reason}")

    def finish(self) -> int:
        """Prints the closing line, or the JSON array; the exit status."""
        checks = [check for section in self._sections for check in section.checks]
        failed = sum(not check.passes() for check in checks)
        skipped = sum(len(section.skipped) for section in self._sections)
        if self._json:
            print(json.dumps([_as_object(check) for check in checks], indent=2))
        else:
            print(f"\n{len(checks) - failed} passed, {failed} failed, {skipped} skipped")
        return 0 if checks and failed == 0 else 1

    def write_results(self, folder: str, name: str) -> None:
        """All of it as folder/name.md."""
        os.makedirs(folder, exist_ok=True)
        lines = [
            f"# `./dev accept {name}`",
            "",
            f"Written by `./dev accept {name} --results {folder}`.",
        ]
        for section in self._sections:
            lines += ["", f"## {section.title}", ""]
            if section.checks:
                lines += ["| measured | value | wanted | met | setting |", "|---|---|---|---|---|"]
            for check in section.checks:
                met = "yes" if check.passes() else "**no**"
                lines.append(
                    f"| {check.name} | {check.value:.6g} | ≤ {check.bound:.6g} | {met} "
                    f"| {check.setting} |"
                )
            lines += [f"\nNot measured: {skip}" for skip in section.skipped]
        with open(os.path.join(folder, f"{name}.md"), "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")

    def _print(self, line: str) -> None:
        if not self._json:
            print(line, flush=True)


def _as_object(check: Check) -> dict[str, object]:
    return {
        "check": check.name,
        "value": check.value if math.isfinite(check.value) else None,
        "target": check.bound,
        "direction": "<=",
        "pass": check.passes(),
        "setting": check.setting,
    }
