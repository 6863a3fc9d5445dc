"""The profiles of the recorder, and the pages of these and of the tool's own."""

from __future__ import annotations

from oshbench.measure.profile import Profile

from ..page import Page
from . import collectives, far_rate, fft, footprint, foreign_load, off_node, off_node_jobs, one_node

PROFILES: dict[str, Profile] = {}
PAGES: dict[str, Page] = {}
for _module in (off_node, off_node_jobs, far_rate, fft, foreign_load):
    PROFILES |= _module.PROFILES
for _module in (one_node, collectives, off_node, off_node_jobs, far_rate, fft, foreign_load, footprint):
    PAGES |= _module.PAGES
