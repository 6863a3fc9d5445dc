"""The page of the profile footprint."""

from __future__ import annotations

from oshbench.measure.profiles import footprint

from ..page import Page

PAGES = {"footprint": Page("Footprint", footprint.tables,
                           "PEs start, meet in a barrier and end. More PEs than CPUs take part if memory and time "
                           "allow.")}
