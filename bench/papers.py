#!/usr/bin/env python3
"""Repeats the figures of the papers (profiles paper-libraries, paper-collectives, paper-threads of oshbench) with every
library of this machine, and sets what was published beside what is found here. A run that was ended goes on where it was."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from oshbench import cli, comparison, machine, needs, profiles, results

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
    if args.record and not args.busy and not args.page and (why := machine.busy()):
        print(f"--record: {why}; record on a quiet machine, or give --busy and the page says so", file=sys.stderr)
        return 2
    wrong = 0
    for profile in [] if args.page else args.only or PAPERS:
        whole = args.work / f"{profile}.json"
        wrong |= measure(args, profile, whole)
        saved = papers_page.slim(results.load(whole)) | {"ours": machine.commit(comparison.ROOT), "busy": args.busy}
        (target / f"{profile}.json").write_text(json.dumps(saved, indent=None, separators=(",", ":")) + "\n")
    page = target / papers_page.PAGE
    page.write_text(papers_page.text(target))
    print(f"written: {page}")
    return wrong


def measure(args: argparse.Namespace, profile: str, whole: Path) -> int:
    """The exit status of oshbench: 1 if a result was wrong."""
    words = ["run", profile, "-r", str(args.rounds), "-o", str(whole), "--work", str(args.work), "--format", "none"]
    words += ["-L", args.libraries] if args.libraries else []
    words += ["--ours", str(args.ours)] if args.ours else []
    words += ["--resume"] if whole.exists() else []
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
