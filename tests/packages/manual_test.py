"""Every public function, setting and tool has a manual page that troff reads without a complaint."""

import os
import re
import subprocess
import unittest
from pathlib import Path

PAGES = Path(os.environ["PAGES"])
INCLUDE = Path(os.environ["INCLUDE"])


class Manual(unittest.TestCase):
    def test_every_function_has_a_page(self):
        for header in ("shmem.h", "shmemx.h"):
            names = set(re.findall(r"\b(shmemx?_\w+)\(", (INCLUDE / header).read_text()))
            functions = {n for n in names if re.search(rf"^[\w ]+[ *]{n}\([^;]*\);|^#define {n}\(",
                                                       (INCLUDE / header).read_text(), re.M)}
            self.assertGreater(len(functions), 150)
            missing = [n for n in sorted(functions) if not (PAGES / f"man3/{n}.3").exists()]
            self.assertEqual(missing, [], header)

    def test_lines_that_lead_elsewhere_arrive(self):
        for path in PAGES.glob("man3/*.3"):
            text = path.read_text()
            if text.startswith(".so "):
                self.assertFalse((PAGES / text.split()[1]).read_text().startswith(".so "), path)

    def test_tools_and_settings(self):
        for page in ("man1/oshrun.1", "man1/oshinfo.1", "man1/oshtune.1", "man1/oshprof.1", "man7/oshen-environment.7"):
            self.assertTrue((PAGES / page).exists(), page)
        self.assertIn("SHMEM_SYMMETRIC_SIZE", (PAGES / "man7/oshen-environment.7").read_text())

    def test_troff_reads_them(self):
        pages = [p for p in PAGES.glob("man*/*") if p.name != "made" and not p.read_text().startswith(".so ")]
        done = subprocess.run(["groff", "-man", "-ww", "-z", *pages], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        shown = subprocess.run(["groff", "-man", "-Tascii", "-P-c", PAGES / "man3/shmem_put.3"], capture_output=True, text=True)
        self.assertIn("void shmem_TYPENAME_put(TYPE *dest, const TYPE *source, size_t nelems, int pe);",
                      re.sub(r".\x08", "", shown.stdout))


if __name__ == "__main__":
    unittest.main(verbosity=2)
