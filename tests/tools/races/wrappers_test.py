#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every routine has a wrapper of the detector, except those that neither access memory nor order anything."""

import re
import unittest
from pathlib import Path

from races import generate

NEEDS_NONE = re.compile(
    r"_my_pe|_num_pes|shmem_(my_pe|n_pes|ptr|pe_accessible|addr_accessible|info_get_\w+|query_\w+|pcontrol)"
    r"|shmem_team_(my_pe|n_pes|ptr|translate_pe|get_config|create_ctx|destroy)|shmem_ctx_(create|get_team|session_start|session_stop)"
    r"|shmem_(set|clear)_cache(_line)?_inv|shmem_udcflush(_line)?")

# Wrapped by hand.
BY_HAND = set(re.findall(r"^EXPORT [^(]*?(shmemx_\w+)\(", (Path(generate.__file__).parent / "extensions.cpp").read_text(), re.MULTILINE))
NEEDS_NONE_EXT = re.compile(r"shmemx_(ct_(create|free|set)|wtime|pvar_\w+|heap_info)")


class Wrappers(unittest.TestCase):
    def test_only_known_routines_have_none(self) -> None:
        of_standard = [f for f in generate.api_spec.Spec.read().functions if f.row.status != "ext"]
        self.assertGreater(len(of_standard), 1500)
        for f in of_standard:
            self.assertEqual(generate.steps_of(f) is None, bool(NEEDS_NONE.fullmatch(f.name)), f.name)

    def test_extensions(self) -> None:
        extensions = [f for f in generate.api_spec.Spec.read().functions if f.row.status == "ext"]
        self.assertGreater(len(extensions), 300)
        for f in extensions:
            ways = [generate.steps_of(f) is not None, f.name in BY_HAND, bool(NEEDS_NONE_EXT.fullmatch(f.name))]
            self.assertEqual(sum(ways), 1, f"{f.name}: generated, by hand, none needed: {ways}")


if __name__ == "__main__":
    unittest.main(verbosity=2)
