#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every routine of the standard has a wrapper of the detector, except those that neither access memory nor order anything."""

import re
import unittest

from races import generate

NEEDS_NONE = re.compile(
    r"_my_pe|_num_pes|shmem_(my_pe|n_pes|ptr|pe_accessible|addr_accessible|info_get_\w+|query_\w+|pcontrol)"
    r"|shmem_team_(my_pe|n_pes|ptr|translate_pe|get_config|create_ctx|destroy)|shmem_ctx_(create|get_team|session_start|session_stop)"
    r"|shmem_(set|clear)_cache(_line)?_inv|shmem_udcflush(_line)?")


class Wrappers(unittest.TestCase):
    def test_only_known_routines_have_none(self) -> None:
        of_standard = [f for f in generate.api_spec.Spec.read().functions if f.row.status != "ext"]
        self.assertGreater(len(of_standard), 1500)
        for f in of_standard:
            self.assertEqual(generate.steps_of(f) is None, bool(NEEDS_NONE.fullmatch(f.name)), f.name)


if __name__ == "__main__":
    unittest.main(verbosity=2)
