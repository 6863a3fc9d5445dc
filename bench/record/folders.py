"""Where the recorder keeps its files: records in bench/record/data, pages in docs/bench, raw runs in
build/bench/runs."""

from __future__ import annotations

import lzma
import tarfile
from dataclasses import dataclass
from pathlib import Path

from oshbench.common.errors import Refused
from oshbench.machine import properties


@dataclass(frozen=True)
class Folders:
    """Of one checkout."""

    pages: Path
    data: Path

    def record(self, profile: str, machine_name: str | None = None) -> Path:
        """The file of a record. That of the page's own machine has no machine name."""
        return self.data / (f"{profile}@{machine_name}.json.xz" if machine_name else f"{profile}.json.xz")

    def records(self, profile: str) -> list[Path]:
        """The records of the page's own machine, then of others."""
        return [self.record(profile), *sorted(self.data.glob(f"{profile}@*.json.xz"))]


def of(bench: Path) -> Folders:
    root = bench.resolve().parent
    folders = Folders(root / "docs" / "bench", root / "bench" / "record" / "data")
    if not folders.pages.is_dir():
        raise Refused(f"--record: records are kept in a checkout, and {folders.pages} does not exist")
    return folders


def write_text(path: Path, text: str) -> None:
    """Compressed, as all records are."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME))


def raw(bench: Path) -> Path:
    return bench.resolve().parent / "build" / "bench" / "runs"


def pack(bench: Path, output: Path | None) -> Path:
    """Packs all raw runs of records into one file for a release."""
    files = sorted(raw(bench).glob("*.json"))
    if not files:
        raise Refused(f"record --pack: no raw run in {raw(bench)}: oshbench run PROFILE --record leaves one there")
    target = output or raw(bench).parent / f"oshbench-runs-{properties.commit(bench.resolve().parent)}.tar.xz"
    target.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(target, "w:xz") as archive:
        for file in files:
            archive.add(file, file.name, filter=_anonymous)
    return target


def _anonymous(info: tarfile.TarInfo) -> tarfile.TarInfo:
    info.uid = info.gid = 0
    info.uname = info.gname = ""
    return info
