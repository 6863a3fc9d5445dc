"""The driver: libraries, building and launching, statistics, records, pages."""

import sys
from pathlib import Path

# The style of figures and pages, shared by all tools: beside bench/ in share/oshen, or in tools/shared of the sources.
_ABOVE = Path(__file__).resolve().parents[2]
sys.path += [str(_ABOVE), str(_ABOVE / "tools" / "shared")]
