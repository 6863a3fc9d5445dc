"""Writes the results as a self-contained HTML page, as JSON and as Markdown."""
import json
from pathlib import Path

from oshen_figures import origin, style
from oshen_figures.page import picture, render

from .figures import draw, overview
from .run import Failure
from .summary import FEWEST, summary

TITLE = "LAMMPS with MPI and with OpenSHMEM"


def summarise(study, rounds, asked, machine, version, command):
    """Results as plain data; samples included."""
    return {"lammps": version, "machine": machine, "rounds": rounds, "asked": asked, "command": command,
            "experiments": [{"name": r["name"], "about": r["about"], "points": [summary(p) for p in r["points"]],
                             "samples": [{n: w["samples"] for n, w in p["ways"].items()} for p in r["points"]]}
                            for r in study.results]}


def facts(results):
    """Sentences about the measurement: input, samples, machine and date."""
    about = results["machine"]
    samples = origin.samples(results["asked"], results["rounds"], "interleaved samples of every bar",
                             "the time limit was reached")
    return [f"Rhodopsin. LAMMPS {results['lammps']}, not rebuilt. {samples}.",
            f"{about['cpus']} CPUs ({about['cpu']}), load {about['load']} at the start. {about['date']}."]


def warnings(results):
    ranks = [p["ranks"] for e in results["experiments"] for p in e["points"]]
    few = [] if has_speed_ups(results) else [f"Too few rounds to say which is faster: speed-ups need {FEWEST}"]
    return origin.warnings(ranks, results["machine"]["cpus"], results["machine"]["load"]) + few


def has_speed_ups(results):
    points = [point for experiment in results["experiments"] for point in experiment["points"]]
    return any(variant["speed_up"] for point in points for variant in point["ways"].values())


HEADINGS = {"wall": "wall", "setup": "set-up", "loop": "loop", "kspace": "Kspace", "fft": "FFT", "remap": "remap"}


def headings(results):
    """The parts that the results have, with their headings. Results of earlier versions lack some."""
    ways = [variant for e in results["experiments"] for p in e["points"] for variant in p["ways"].values()]
    return {part: text for part, text in HEADINGS.items() if all(part in variant for variant in ways)}


def html(results):
    cpus = results["machine"]["cpus"]
    experiments = [{**e, "points": [{**p, "label": origin.count(p["ranks"], cpus)} for p in e["points"]],
                    "figures": [(title, picture(svg)) for title, svg in draw(e["points"], e["points"][0]["ways"],
                                                                             cpus)]}
                   for e in results["experiments"]]
    return render(Path(__file__).parent, "study.html.j2", title=TITLE, facts=facts(results), command=results["command"],
                  warnings=warnings(results), experiments=experiments, headings=headings(results))


def markdown(results):
    """The results as Markdown tables: medians in seconds, and speed-ups over the fastest MPI variant with quartiles."""
    lines = [f"# {TITLE}", "", f"Made by `{results['command']}`. {' '.join(facts(results))} Medians. In brackets: "
                               f"speed-up over "
             "the fastest MPI variant, median and quartiles of the rounds. Wall: the whole program, from its start by "
             "mpiexec to its end. Set-up: the wall time without the loop. FFT: `fft_3d` and all remaps, slowest rank."]
    for line in warnings(results):
        lines += ["", f"{line}."]
    cpus, named = results["machine"]["cpus"], headings(results)
    for e in results["experiments"]:
        lines += ["", f"## {e['name']}", "", f"{e['about']}.", "",
                  f"| ranks | variant | {' s | '.join(named.values())} s |", f"|---|---|{'---|' * len(named)}"]
        for p in e["points"]:
            for name, variant in p["ways"].items():
                cells = [cell(variant, part) for part in named]
                lines.append(f"| {p['ranks']}{origin.mark(p['ranks'], cpus)} | {name} | " + " | ".join(cells) + " |")
    return "\n".join([*lines, ""])


def cell(variant, part):
    ratio = variant["speed_up"].get(part)
    faster = f" ({ratio['median']:.2f}x, {ratio['low']:.2f} to {ratio['high']:.2f})" if ratio and not variant["mpi"] \
        else ""
    return f"{variant[part]['median']:.3f}{faster}"


def read(path):
    """The results in a JSON file that `write` has made; ValueError for another file."""
    results = json.loads(path.read_text())
    if not isinstance(results, dict) or not results.get("experiments"):
        raise ValueError("expected the .json file of a study")
    return results


def write_figure(results, path):
    """Writes one figure of all experiments as .svg, .png or .pdf."""
    if not has_speed_ups(results):
        raise Failure(f"--figure {path}: it shows speed-ups, which need {FEWEST} rounds: --samples {FEWEST} or more")
    style.save(overview(results["experiments"], results["machine"]["cpus"]), path)


def write(results, path):
    """Writes the page and, next to it, the JSON and Markdown files; returns the paths."""
    numbers, text = path.with_suffix(".json"), path.with_suffix(".md")
    numbers.write_text(json.dumps(results, indent=1) + "\n")
    text.write_text(markdown(results))
    path.write_text(html(results))
    return [path, numbers, text]
