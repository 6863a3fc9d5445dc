"""The driver's parts: which libraries there are, how to build and launch, what the samples say, how to show it."""

import sys
from pathlib import Path

# The look of figures and pages, which the installed tools have too: beside bench/ in share/oshen, in tools/shared of the sources.
_ABOVE = Path(__file__).resolve().parents[2]
sys.path += [str(_ABOVE), str(_ABOVE / "tools" / "shared")]
