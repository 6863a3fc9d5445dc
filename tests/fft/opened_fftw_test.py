"""fft/passes/opened_fftw.cpp has every function of FFTW that the FFT calls. Only the wheel uses it, which no other test builds."""

import re
import subprocess
import sys
from pathlib import Path

nm, library, source = sys.argv[1:]
said = subprocess.run([nm, "--undefined-only", "--format=just-symbols", library], check=True, capture_output=True, text=True)
called = set(re.findall(r"^fftwf?_\w+$", said.stdout, re.M))
there = set(re.findall(r"\b(fftwf?_\w+)(?=\(|\[\] =)", Path(source).read_text()))
missing = sorted(called - there)
print(f"{len(called)} functions of FFTW are called; not in {source}: {' '.join(missing) or 'none'}")
sys.exit(1 if missing or len(called) < 10 else 0)
