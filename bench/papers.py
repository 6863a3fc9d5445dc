#!/usr/bin/env python3
"""Repeats the figures of the papers (profiles paper-libraries, paper-collectives, paper-threads of oshbench) with every
library of this machine, and sets what was published beside what is found here. A run that was ended goes on where it was,
unless our commit is another one by now."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path

from oshbench import campaign, cli, comparison, machine, needs, profiles, results

PAPERS = tuple(name for name in profiles.PROFILES if name.startswith("paper-"))


def main() -> int:
    args = parse_arguments()
    try:
        needs.demand("papers.py", "numpy", "scipy", "matplotlib", "jinja2")
    except needs.Missing as missing:
        print(f"papers: {missing}", file=sys.stderr)
        return 2
    from oshbench import papers_page
    target = comparison.RECORDS if args.record else args.work
    wrong = 0
    for profile in [] if args.page else args.only or PAPERS:
        others = machine.busy()
        if args.record and others and not args.busy:
            print(f"--record: {others}; record on a quiet machine, or give --busy and the page says so", file=sys.stderr)
            return 2
        whole = args.work / "whole" / f"{profile}.json"
        results.save(begin(args, profile, whole, bool(others)), whole)
        watch = machine.Watch()
        wrong |= measure(args, profile, whole)
        saved = results.load(whole)
        saved["busy"] |= comparison.disturbed(watch)
        results.save(saved, whole)
        papers_page.write_record(saved, target)
    print(f"written: {os.path.relpath(papers_page.write(target))}")
    return wrong


def begin(args: argparse.Namespace, profile: str, whole: Path, busy: bool) -> dict:
    """What there is of this commit; but nothing that others disturbed goes into the record of a quiet machine."""
    ours = machine.commit(comparison.ROOT)
    saved = results.load(whole) if whole.exists() else {}
    if saved.get("ours") != ours or saved["busy"] and args.record and not args.busy:
        saved = campaign.begin(profile, f"oshbench run {profile}", {"ours": ours, "busy": False})
    return saved | {"busy": saved["busy"] or busy}


def measure(args: argparse.Namespace, profile: str, whole: Path) -> int:
    """The exit status of oshbench: 1 if a result was wrong."""
    words = ["run", profile, "-r", str(args.rounds), "-o", str(whole), "--resume", "--work", str(args.work), "--format", "none"]
    words += ["-L", args.libraries] if args.libraries else []
    words += ["--ours", str(args.ours)] if args.ours else []
    status = cli.main(words, None, comparison.BENCH)
    if status > cli.WORSE:
        sys.exit(status)
    return status


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", action="append", choices=PAPERS, help="one of the profiles; may be repeated")
    parser.add_argument("--rounds", type=int, default=3, help="launches of every library (default 3; the papers had ten)")
    parser.add_argument("-L", "--libraries", default="", metavar="A,B", help="only these")
    parser.add_argument("--ours", type=Path, help="folder with our oshcc and oshrun (default: the newest build/*/bin)")
    parser.add_argument("--work", type=Path, default=comparison.ROOT / "build" / "papers", help="where programs and whole runs lie")
    parser.add_argument("--record", action="store_true", help="write docs/bench/papers.md and its records")
    parser.add_argument("--busy", action="store_true", help="record although others use the machine")
    parser.add_argument("--page", action="store_true", help="only write the page anew")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
