# SPDX-License-Identifier: BSD-3-Clause
"""The papers of a release: checksums with a signature, a list of components (SBOM), and recipes with the checksum."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
from datetime import datetime, timezone
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

SUMS = "SHA256SUMS"
NAMESPACE = "oshen-release"  # of ssh signatures
# Recipes by the end of their names: the line that names the archive, and the line with its checksum.
RECIPES = {".py": (r'version\("VERSION"[^)]*\)', 'version("VERSION", sha256="SUM")'),
           ".eb": (r"(sources = \['oshen-%\(version\)s\.tar\.gz'\]\n)(checksums = .*\n)?", r"\1checksums = ['SUM']\n"),
           ".yaml": (r"(  path: oshen-\S+ version \S+\.tar\.gz\n)(  sha256: .*\n)?", r"\1  sha256: SUM\n")}
# The parts of a user's installation besides Oshen: name, licence, package URL, and how it is used.
PARTS = [("CLI11", "BSD-3-Clause", "pkg:github/cliutils/cli11", "required", "headers, compiled into the tools"),
         ("nlohmann-json", "MIT", "pkg:github/nlohmann/json", "required", "headers, compiled into the tools"),
         ("libc++", "Apache-2.0 WITH LLVM-exception", "pkg:github/llvm/llvm-project", "required", "linked into the programs of the wheel"),
         ("numpy", "BSD-3-Clause", "pkg:pypi/numpy", "optional", "the Python package uses it"),
         ("libfabric", "BSD-2-Clause OR GPL-2.0-only", "pkg:github/ofiwg/libfabric", "optional", "opened at run time, between nodes"),
         ("ucx", "BSD-3-Clause", "pkg:github/openucx/ucx", "optional", "opened at run time, between nodes"),
         ("fftw", "GPL-2.0-or-later", "pkg:generic/fftw", "optional", "opened at run time, by the FFT"),
         ("elfutils", "LGPL-3.0-or-later OR GPL-2.0-or-later", "pkg:generic/elfutils", "optional", "libdw, opened by oshprof"),
         ("shtab", "Apache-2.0", "pkg:pypi/shtab", "optional", "its templates are in the completions of four tools")]


def fail(message: str) -> None:
    sys.exit(f"release: {message}")


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def write_sums(folder: Path) -> Path:
    """The checksums of all other files, as sha256sum writes and checks them."""
    papers = folder / SUMS
    files = sorted(path for path in folder.rglob("*") if path.is_file() and not path.name.startswith(SUMS))
    papers.write_text("".join(f"{sha256(path)}  {path.relative_to(folder)}\n" for path in files))
    return papers


def sign(papers: Path, key: str) -> Path:
    """Signs with an ssh key if `key` is a file, else with the key of this name in gpg. Replaces an earlier signature."""
    by_ssh = Path(key).is_file()
    signature = papers.with_name(papers.name + (".sig" if by_ssh else ".asc"))
    signature.unlink(missing_ok=True)
    words = ["ssh-keygen", "-q", "-Y", "sign", "-f", key, "-n", NAMESPACE, papers] if by_ssh else \
        ["gpg", "--batch", "--yes", "--local-user", key, "--armor", "--detach-sign", "--output", signature, papers]
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if done.returncode != 0 or not signature.exists():
        why = done.stderr.strip().splitlines()[-1:] or ["no signature was made"]
        fail(f"cannot sign {papers.name} with {key!r}: {why[0]}; "
             "expected the file of an ssh key, or the name of a key in gpg")
    return signature


def fill_recipe(name: str, recipe: str, version: str, checksum: str) -> str:
    """The text of a recipe with the checksum of the archive of this version, in the place of another one if it has one."""
    pattern, line = RECIPES[Path(name).suffix]
    filled, n = re.subn(pattern.replace("VERSION", re.escape(version)), line.replace("VERSION", version).replace("SUM", checksum), recipe)
    if n != 1:
        fail(f"{name} names the archive of {version} {n} times: expected once")
    return filled


def check(folder: Path, version: str) -> None:
    """Ends the program unless the files are those of the checksums, the list of components, the recipes and the signature."""
    by_sums = dict(reversed(line.split("  ", 1)) for line in (folder / SUMS).read_text().splitlines())
    here = {str(path.relative_to(folder)): path for path in folder.rglob("*") if path.is_file() and not path.name.startswith(SUMS)}
    for name in sorted(here.keys() ^ by_sums.keys()):
        fail(f"{name} is {'not in ' + SUMS if name in here else 'missing'}")
    listed = json.loads((folder / f"oshen-{version}.cdx.json").read_text())["components"]
    by_components = {part["name"]: part["hashes"][0]["content"] for part in listed if part["type"] == "file"}
    for name, path in here.items():
        if sha256(path) != by_sums[name] or sha256(path) != by_components.get(name, by_sums[name]):
            fail(f"{name} is not the file that was listed")
    for name, path in here.items():
        if path.suffix in RECIPES and sha256(folder / f"oshen-{version}.tar.gz") not in path.read_text():
            fail(f"{name} has not the checksum of the archive")
    for signature, words in ((".sig", ["ssh-keygen", "-Y", "check-novalidate", "-n", NAMESPACE, "-s", f"{SUMS}.sig"]),
                             (".asc", ["gpg", "--batch", "--verify", f"{SUMS}.asc", SUMS])):
        with open(folder / SUMS) as signed:
            made = (folder / f"{SUMS}{signature}").exists()
            if made and subprocess.run(words, stdin=signed, cwd=folder, capture_output=True).returncode != 0:
                fail(f"{words[0]}: the signature is not that of {SUMS}")


def write_components(folder: Path, version: str, commit: str, seconds: int) -> Path:
    """The list of components, in CycloneDX 1.6. The same commit and files give the same bytes."""
    from cyclonedx.contrib.license.factories import LicenseFactory
    from cyclonedx.model import HashAlgorithm, HashType, Property
    from cyclonedx.model.bom import Bom
    from cyclonedx.model.component import Component, ComponentScope, ComponentType
    from cyclonedx.output.json import JsonV1Dot6
    from cyclonedx.validation.json import JsonStrictValidator
    from cyclonedx.schema import SchemaVersion
    from packageurl import PackageURL

    licenses, bom = LicenseFactory(), Bom()
    bom.serial_number = uuid5(NAMESPACE_URL, f"oshen {version} {commit}")
    bom.metadata.timestamp = datetime.fromtimestamp(seconds, timezone.utc)
    oshen = Component(name="oshen", version=version, type=ComponentType.LIBRARY, bom_ref="oshen",
                      licenses=[licenses.make_from_string("BSD-3-Clause")], purl=PackageURL("pypi", None, "oshen", version))
    bom.metadata.component = oshen
    parts = [Component(name=name, type=ComponentType.LIBRARY, bom_ref=name, licenses=[licenses.make_from_string(terms)],
                       purl=PackageURL.from_string(url), scope=ComponentScope(scope), properties=[Property(name="use", value=use)])
             for name, terms, url, scope, use in PARTS]
    files = [Component(name=name, version=version, type=ComponentType.FILE, bom_ref=name,
                       hashes=[HashType(alg=HashAlgorithm.SHA_256, content=sha256(path))])
             for path in sorted(folder.rglob("*oshen*")) if path.is_file() and not path.name.endswith(".cdx.json")
             for name in [str(path.relative_to(folder))]]
    for component in parts + files:
        bom.components.add(component)
    bom.register_dependency(oshen, parts)
    text = JsonV1Dot6(bom).output_as_string(indent=2)
    wrong = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)
    if wrong:
        fail(f"the list of components is not valid CycloneDX: {wrong}")
    made = folder / f"oshen-{version}.cdx.json"
    made.write_text(text + "\n")
    return made
