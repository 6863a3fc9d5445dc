"""The comparison of LAMMPS with MPI and with ours: as a table on the screen, as JSON and Markdown in files."""
import json

from rich import box
from rich.table import Table

TITLE = "Rhodopsin, 32 000 atoms: plain MPI beside Oshen"
HEADINGS = ["case", "ranks", "seconds", "MPI", "Oshen", "speed-up", "spread"]
PARTS = {"loop": "loop", "kspace": "Kspace", "remap": "remap"}


def cells(row, part):
    """One line of the table: what a part of a run took with MPI and with ours, and how much faster that is."""
    entry, ratio = row[part], row[part]["speed_up"]
    name = {"loop": [row["case"], str(row["ranks"])], "kspace": [f"{row['steps']} steps", ""], "remap": ["", ""]}[part]
    return [*name, PARTS[part], f"{entry['MPI']:.3f}", f"{entry['Oshen']:.3f}", f"{ratio['median']:.2f}x",
            f"{ratio['min']:.2f} .. {ratio['max']:.2f}"]


def verdict(results):
    """Whether the physics is the same, for every case."""
    different = [f"{row['case']} on {row['ranks']} ranks" for row in results["rows"] if not row["identical"]]
    if different:
        return "thermo output DIFFERENT: " + ", ".join(different)
    lines = sum(row["lines"] for row in results["rows"])
    return f"thermo output identical: {lines} lines in each of {results['rounds']} rounds"


def footnote(results):
    machine = results["machine"]
    return (f"Medians of {results['rounds']} rounds, MPI and Oshen in turn; speed-up: median, least .. most of the pairs. "
            f"remap: in remap_3d, slowest rank. {machine['cpus']} CPUs ({machine['cpu']}), load {machine['load']:.1f}.")


def show(console, results):
    table = Table(title=TITLE, box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in HEADINGS:
        table.add_column(heading, justify="left" if heading in ("case", "seconds") else "right", no_wrap=True)
    for row in results["rows"]:
        for part in PARTS:
            table.add_row(*cells(row, part), end_section=part == list(PARTS)[-1])
    console.print()
    console.print(table)
    console.print(footnote(results), highlight=False)
    good = all(row["identical"] for row in results["rows"])
    console.print(f"[bold {'green' if good else 'red'}]{verdict(results)}[/]", highlight=False)


def markdown(results):
    lines = [f"# {TITLE}", "", "| " + " | ".join(HEADINGS) + " |", "|" + "---|" * len(HEADINGS)]
    lines += ["| " + " | ".join(cells(row, part)) + " |" for row in results["rows"] for part in PARTS]
    return "\n".join([*lines, "", footnote(results), "", verdict(results), ""])


def write(results, folder):
    """The files that were written."""
    as_json, as_markdown = folder / "lammps.json", folder / "lammps.md"
    as_json.write_text(json.dumps(results, indent=1) + "\n")
    as_markdown.write_text(markdown(results))
    return [as_json, as_markdown]
