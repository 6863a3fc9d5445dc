# SPDX-License-Identifier: BSD-3-Clause
"""Runs the cells of code of a notebook in this process, as a kernel does: all share their names, and a mistake ends the run.

  notebook_cells.py NOTEBOOK    prints, as its last line, a JSON list of what each cell printed

Of the commands of IPython it knows those that the notebooks here use: `!command` and `%%writefile FILE`.
"""

import contextlib
import io
import json
import subprocess
import sys
from pathlib import Path


def run_cell(source, names):
    """What the cell prints."""
    if source.startswith("%%writefile "):
        first, _, body = source.partition("\n")
        Path(first.split()[1]).write_text(body)
        return f"Writing {first.split()[1]}\n"
    if source.startswith("!"):
        return subprocess.run(source[1:], shell=True, check=True, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT).stdout
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(compile(source, "cell", "exec"), names)
    return said.getvalue()


def main():
    cells = json.loads(Path(sys.argv[1]).read_text())["cells"]
    names = {"__name__": "__main__"}
    told = [run_cell("".join(cell["source"]), names) for cell in cells if cell["cell_type"] == "code"]
    print(json.dumps(told))


if __name__ == "__main__":
    main()
