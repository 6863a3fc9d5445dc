"""The verdicts of a comparison, and of the gate, as text and for CI."""

from __future__ import annotations

import math
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from oshen_tables import lines, paragraph

from ..cases.catalogue import kind_of
from ..statistics import judge
from ..statistics.judge import Verdict
from ..statistics.pairing import Pairing
from . import formats

MOST_UNDECIDED = 12  # rows that are shown without --all
UNDECIDED = ("inconclusive", "base wrong")
RULE = f"a difference counts from {judge.SMALLEST:.0%}; same: the whole interval within {judge.SAME:.0%}"
MEANING = "+ faster or smaller, - slower or larger, = same, ? inconclusive, ! wrong"
COLUMNS = ["", "case", "size", "PEs", "cost ratio", "95 % interval", "p"]
MARKS = {"faster": "+", "slower": "-", "same": "=", "inconclusive": "?", "wrong": "!", "base wrong": "!"}


def text(pairing: Pairing, everything: bool = False) -> str:
    how = "launches compared round by round" if pairing.paired else "runs made apart"
    head = [*paragraph(f"{pairing.new} against {pairing.base}: {counts_of(pairing.verdicts)}", "  ", first=""),
            *paragraph(f"{RULE}; {how}", "  ", first=""), *paragraph(MEANING, "  ", first=""),
            *[line for note in pairing.notes for line in paragraph(note, "  ", first="! ")], ""]
    shown = [v for v in sorted(pairing.verdicts, key=order) if everything or v.word != "same"]
    left_out = set() if everything else {v.key for v in [v for v in shown if v.word == "inconclusive"][MOST_UNDECIDED:]}
    rows = [_row(v) for v in shown if v.key not in left_out]
    table = _table(rows) if rows else ["no difference"]
    more = [f"... and {len(left_out)} more that are inconclusive; --all shows them"] if left_out else []
    return "\n".join([*head, *table, *more]) + "\n"


def _table(rows: list[list[str]]) -> list[str]:
    """In a narrow terminal the mark stands for a verdict of one word, and p is left out."""
    wide = lines([COLUMNS, *(row[:-1] for row in rows)], ["verdict", *(row[-1] for row in rows)], left=2, keys=4)
    if "verdict" in wide[0]:
        return wide
    return lines([COLUMNS[:-1], *(row[:-2] for row in rows)],
                 ["", *(row[-1] if " " in row[-1] else "" for row in rows)], left=2, keys=4)


def counts_of(verdicts: list[Verdict]) -> str:
    """The number of verdicts of each word, times and memory apart."""
    told = []
    for memory in (False, True):
        own = [v for v in verdicts if (kind_of(v.key.case).axis == "memory") == memory]
        told += [f"{'memory' if memory else 'time'} {counted(own)}"] if own else []
    return "; ".join(told)


def counted(verdicts: list[Verdict]) -> str:
    """The number of verdicts of each word, all of times or all of memory."""
    by_word = {word: [v for v in verdicts if v.word == word] for word in MARKS}
    return ", ".join(f"{len(own)} {word_of(own[0])}" for own in by_word.values() if own)


OF_MEMORY = {"faster": "smaller", "slower": "larger"}


def word_of(verdict: Verdict) -> str:
    """The word that readers see: memory is smaller or larger."""
    return OF_MEMORY.get(verdict.word, verdict.word) if kind_of(verdict.key.case).axis == "memory" else verdict.word


def order(verdict: Verdict) -> tuple:
    return list(MARKS).index(verdict.word), verdict.ratio.value if not math.isnan(verdict.ratio.value) else 0


def _row(v: Verdict) -> list[str]:
    words = word_of(v) + (f": {_launches(v.more)}" if v.word == "inconclusive" else "")
    if not v.has_ratio:
        return [MARKS[v.word], v.key.case, formats.size_of(v.key), str(v.key.pes), "–", "–", "–", words]
    return [MARKS[v.word], v.key.case, formats.size_of(v.key), str(v.key.pes), formats.share(v.ratio.value),
            formats.interval(v.ratio.low, v.ratio.high), f"{v.p:.2g}", words]


def share(text: str) -> float:
    try:
        value = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        raise ValueError(f"--max-regress {text}: a share is expected, for example 5%") from None
    if not 0 <= value < 10:
        raise ValueError(f"--max-regress {text}: a share is expected, for example 5%")
    return value


def gate(pairing: Pairing, most: float) -> tuple[int, str]:
    """Status and message: 0 passed; 1 wrong, or slower by more than `most`; 2 nothing to compare, or mostly
    undecided."""
    if not pairing.verdicts:
        return 2, "gate: nothing in common\n"
    wrong = [v for v in pairing.verdicts if v.word == "wrong"]
    slower = [v for v in pairing.verdicts if _stops(v, most) and v.word == "slower"]
    if wrong or slower:
        names = ", ".join(f"{v.key.case} {formats.size_of(v.key)}" for v in (wrong + slower)[:5])
        return 1, f"gate: FAILED: {len(wrong)} wrong, {len(slower)} slower by more than {most:.0%}: {names}\n"
    open_cases = [v for v in pairing.verdicts if not cleared(v, most)]
    told = f"{len(open_cases)} of {len(pairing.verdicts)} cases may be slower by more than {most:.0%}"
    if 2 * len(open_cases) > len(pairing.verdicts):
        return 2, (f"gate: cannot tell: {told}. Measure on a quieter machine{_launches_missing(pairing)}"
                   f"{'' if pairing.paired else ', or both versions in one run, whose launches take turns'}\n")
    if not open_cases:
        return 0, f"gate: passed: none of {len(pairing.verdicts)} cases is slower by more than {most:.0%}\n"
    return 0, f"gate: passed: no case was found slower by more than {most:.0%}; {told}, for want of launches\n"


def cleared(verdict: Verdict, most: float) -> bool:
    """Whether the interval excludes a case that is slower by more than `most`. Every case must be cleared by itself for
    the sentence on all of them, so no correction is needed."""
    known = not math.isnan(verdict.ratio.high)
    return verdict.ratio.high <= 1 + most if known else verdict.word == "same"


def _launches_missing(pairing: Pairing) -> str:
    """The number of further launches after which half of the cases would be decided."""
    wanted = sorted(v.more for v in pairing.verdicts if v.word == "inconclusive")
    half = (len(pairing.verdicts) + 1) // 2
    decided = sum(v.word not in UNDECIDED for v in pairing.verdicts)
    at = min(max(0, half - decided - 1), len(wanted) - 1)
    return f", or with {_launches(wanted[at])} of each (-r)" if wanted and wanted[at] < judge.MOST_MORE else ""


def _launches(more: int) -> str:
    if more >= judge.MOST_MORE:
        return f"{more} launches would not tell"
    return f"{more} more launch{'es' if more > 1 else ''}"


def _stops(verdict: Verdict, most: float) -> bool:
    return verdict.word == "wrong" or verdict.word == "slower" and verdict.ratio.value > 1 + most


def junit(pairing: Pairing, most: float) -> str:
    """The gate as a test suite for CI, with a test per case. Undecided cases, and those that were wrong before, are
    skipped."""
    suite = Element("testsuite", name=f"oshbench gate: {pairing.new} against {pairing.base}",
                    tests=str(len(pairing.verdicts)), failures=str(sum(_stops(v, most) for v in pairing.verdicts)),
                    skipped=str(sum(v.word in UNDECIDED for v in pairing.verdicts)))
    for verdict in pairing.verdicts:
        size = f" {formats.size_of(verdict.key)}" if verdict.key.size else ""
        test = SubElement(suite, "testcase", classname=f"oshbench.{kind_of(verdict.key.case).axis}",
                          name=f"{verdict.key.case}{size}, {verdict.key.pes} PEs")
        told = " ".join(_row(verdict)[4:])
        if _stops(verdict, most):
            SubElement(test, "failure", message=f"{verdict.word}, at most {most:.0%} is let through").text = told
        elif verdict.word in UNDECIDED:
            SubElement(test, "skipped", message=told)
    indent(suite)
    return tostring(suite, encoding="unicode", xml_declaration=True) + "\n"
