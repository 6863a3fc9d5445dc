"""The page: self-contained HTML. And the same as JSON."""
import json
from pathlib import Path

import jinja2

from .figures import draw
from .summary import summary


def summarise(study, rounds, machine, version):
    """Results as plain data; samples included."""
    return {"lammps": version, "machine": machine, "rounds": rounds,
            "experiments": [{"name": r["name"], "about": r["about"], "points": [summary(p) for p in r["points"]],
                             "samples": [{n: w["samples"] for n, w in p["ways"].items()} for p in r["points"]]}
                            for r in study.results]}


def html(results):
    template = jinja2.Environment(autoescape=True, trim_blocks=True).from_string(
        (Path(__file__).parent / "page.html.j2").read_text())
    experiments = [{**e, "figure": jinja2.utils.markupsafe.Markup(draw(e["points"], e["points"][0]["ways"]))}
                   for e in results["experiments"]]
    return template.render(results={**results, "experiments": experiments})


def markdown(results):
    """The same as tables of text: medians in seconds, and speed-ups over the fastest option of MPI."""
    about = results["machine"]
    lines = ["# LAMMPS with MPI and with OpenSHMEM", "",
             f"Made by `oshen-lammps-study`. Rhodopsin, LAMMPS {results['lammps']}, {results['rounds']} interleaved samples, medians; "
             f"{about['cpus']} CPUs ({about['cpu']}), load {about['load']} at the start, {about['date']}. In brackets: speed-up over "
             "the fastest option of MPI, median of the rounds. FFT: `fft_3d` and all remaps, slowest rank."]
    for e in results["experiments"]:
        lines += ["", f"## {e['name']}", "", f"{e['about']}.", "", "| ranks | way | loop s | Kspace s | FFT s | remap s |",
                  "|---|---|---|---|---|---|"]
        for p in e["points"]:
            for name, way in p["ways"].items():
                cells = [cell(way, part) for part in ("loop", "kspace", "fft", "remap")]
                lines.append(f"| {p['ranks']} | {name} | " + " | ".join(cells) + " |")
    return "\n".join([*lines, ""])


def cell(way, part):
    ratio = way["speed_up"].get(part)
    faster = f" ({ratio['median']:.2f}x)" if ratio and not way["mpi"] else ""
    return f"{way[part]['median']:.3f}{faster}"


def write(results, path):
    """The page and, beside it, the numbers and tables of text; returns the paths."""
    numbers, text = path.with_suffix(".json"), path.with_suffix(".md")
    numbers.write_text(json.dumps(results, indent=1) + "\n")
    text.write_text(markdown(results))
    path.write_text(html(results))
    return [path, numbers, text]
