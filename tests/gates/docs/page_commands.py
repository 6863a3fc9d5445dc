# SPDX-License-Identifier: BSD-3-Clause
"""The commands that a page tells a reader to type, and a shell that types them.

A block of commands (console, or bash for a script) that a test takes from a page has a name in a comment directly above it:

  <!-- first hour: hello -->

In a console block, lines after "$ " are commands and the others are their output. An output line "..." stands for any lines;
the order of lines does not matter, because PEs do not wait for each other.
"""

import json
import re
import shlex
import subprocess
from pathlib import Path

NAMED = re.compile(r"^<!-- first hour: ([\w -]+) -->\n```\w+\n(.*?)^```", re.M | re.S)


def named_blocks(*pages):
    """Name -> text of the blocks in these pages that have a name."""
    found = {}
    for page in pages:
        for name, text in NAMED.findall(page.read_text()):
            assert name not in found, f"{page}: two blocks named {name}"
            found[name] = text
    return found


def commands(text):
    """Pairs of a command and the lines of output that the page shows."""
    pairs = []
    for line in text.replace("\\\n", " ").splitlines():
        if line.startswith("$ "):
            pairs.append((line[2:], []))
        else:
            pairs[-1][1].append(line)
    return pairs


def lacks(wanted, told):
    """The lines that the page shows and the command does not print."""
    there = [line.rstrip() for line in told.splitlines()]
    exact = wanted and "..." not in wanted
    missing = [line for line in wanted if line != "..." and line.rstrip() not in there]
    if not missing and exact and sorted(map(str.rstrip, wanted)) != sorted(there):
        return [f"nothing but {wanted}"]
    return missing


class Shell:
    """A shell that keeps its folder and its variables from one command to the next.

    around: words before every command, such as those that enter another root.
    """

    def __init__(self, environment, folder, around=(), seconds=300):
        self.environment, self.folder, self.around, self.seconds = environment, str(folder), list(around), seconds

    def run(self, command):
        """What the command prints; AssertionError if it fails."""
        mark = "-- state of the shell --"
        script = (f"cd {shlex.quote(self.folder)} || exit\nset -eo pipefail\n{command}\n"
                  f"printf '\\n%s\\n%s\\n' {shlex.quote(mark)} \"$PWD\"\nexec env -0")
        words = [*self.around, "env", "-i", *(f"{k}={v}" for k, v in self.environment.items()), "bash", "-c", script]
        done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              errors="replace", timeout=self.seconds)
        told, _, after = done.stdout.partition(f"\n{mark}\n")
        if done.returncode != 0:
            raise AssertionError(f"$ {command}\nstatus {done.returncode}\n{done.stdout}")
        self.folder, _, variables = after.partition("\n")
        self.environment = dict(v.split("=", 1) for v in variables.split("\0") if "=" in v)
        self.environment.pop("_", None)
        return told

    def follow(self, text, instead=lambda command: command):
        """Types the commands of a console block, compares what they print, and returns it. instead: another command or None."""
        all_told = ""
        for command, wanted in commands(text):
            typed = instead(command)
            if typed is not None:
                told = self.run(typed)
                all_told += told
                missing = lacks(wanted, told)
                assert not missing, f"$ {command}\nthe page shows {missing}, but it prints\n{told}"
        return all_told


def run_notebook(path, environment, folder):
    """Runs the cells of a notebook as a kernel does, without Jupyter: `!` and `%%writefile`, and Python in one process.

    Returns [(what the notebook shows, what its cell prints now)] for each cell of code.
    """
    driver = Path(__file__).resolve().parent / "notebook_cells.py"
    done = subprocess.run(["python3", driver, path], cwd=folder, env=environment, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, timeout=300)
    assert done.returncode == 0, f"{path}: status {done.returncode}\n{done.stdout}{done.stderr}"
    return list(zip(shown_by_cells(path), json.loads(done.stdout.splitlines()[-1]), strict=True))


def shown_by_cells(path):
    """The output of each cell of code that a notebook file has."""
    cells = [cell for cell in json.loads(Path(path).read_text())["cells"] if cell["cell_type"] == "code"]
    return ["".join(text for output in cell["outputs"] if output.get("name") == "stdout" for text in output["text"])
            for cell in cells]
