#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Gates on the library's exports, dependencies, size and interface.

  check_symbols.py headers              prototypes in shmem.h and pshmem.h against the standard's list of names and
                                        arguments (tests/gates/abi/families-1.6.tsv)
  check_symbols.py exports LIBRARY      exported symbols against the same list: nothing missing, nothing extra, every
                                        shmem_x a weak alias of pshmem_x; soname and versions of symbols
  check_symbols.py runtime LIBRARY      the library needs only libc: no C++ runtime, no other library
  check_symbols.py size LIBRARY [MiB]   its text stays within a budget
  check_symbols.py names                prints the names of the standard's functions, one a line
  check_symbols.py interface            functions, structures and enumerations of the last release are unchanged (abidiff
                                        of libabigail). Additions are allowed. CHANGELOG.md names the last release, and the
                                        tag vVERSION has its headers.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FACTS = ROOT / "tests/gates/abi"

# Names beyond the standard's that may be exported.
CACHE_ROUTINES = {"shmem_set_cache_inv", "shmem_set_cache_line_inv", "shmem_clear_cache_inv",
                  "shmem_clear_cache_line_inv", "shmem_udcflush", "shmem_udcflush_line", "shmem_swap"}
EXTENSIONS = {"shmemx_team_create_from_list", "shmemx_team_split_color", "shmemx_heap_info", "shmemx_init_attr",
              "shmemx_team_sync_nb", "shmemx_broadcastmem_nb", "shmemx_alltoallmem_nb", "shmemx_fcollectmem_nb",
              "shmemx_coll_test", "shmemx_coll_wait", "shmemx_coll_wait_all", "shmemx_coll_wait_any",
              "shmemx_team_barrier", "shmemx_free_no_barrier", "shmemx_team_malloc", "shmemx_team_align",
              "shmemx_team_calloc", "shmemx_team_free", "shmemx_alltoallvmem", "shmemx_gathermem", "shmemx_gathervmem",
              "shmemx_scattermem", "shmemx_scattervmem", "shmemx_graph_create", "shmemx_graph_start", "shmemx_graph_test",
              "shmemx_graph_wait", "shmemx_graph_destroy", "shmemx_quiet_local", "shmemx_ctx_quiet_local",
              "shmemx_ct_create", "shmemx_ct_free", "shmemx_ct_get", "shmemx_ct_set", "shmemx_ct_wait", "shmemx_putmem_ct",
              "shmemx_getmem_ct", "shmemx_wtime", "shmemx_pvar_num", "shmemx_pvar_get_name", "shmemx_pvar_start", "shmemx_pvar_stop",
              "shmemx_pvar_read"}
# Typed extensions: a name, and the standard's function with the same types.
TYPED_EXTENSIONS = {f"shmemx_*_{x}_nb": f"shmem_*_{x}" for x in
                    ("broadcast", "alltoall", "fcollect", "and_reduce", "or_reduce", "xor_reduce", "max_reduce",
                     "min_reduce", "sum_reduce", "prod_reduce")}
TYPED_EXTENSIONS |= {f"shmemx_*_{x}": "shmem_*_alltoall" for x in
                     ("alltoallv", "gather", "gatherv", "scatter", "scatterv")}
TYPED_EXTENSIONS |= {f"shmemx_*_{op}_reduce_{x}": f"shmem_*_{op}_reduce" for x in ("to_root", "scatter", "scatterv")
                     for op in ("and", "or", "xor", "max", "min", "sum", "prod")}

TYPED_EXTENSIONS |= {f"shmemx_*_{x}_nbi": f"shmem_*_{x}" for x in ("iput", "iget", "ibput", "ibget")}
TYPED_EXTENSIONS |= {f"shmemx_{ctx}{x}*_nbi": f"shmem_{ctx}{x}*" for x in ("iput", "iget", "ibput", "ibget")
                     for ctx in ("", "ctx_")}
EXTENSIONS |= {f"shmemx_{ctx}{type}_{move}" for ctx in ("", "ctx_") for type in ("half", "bfloat16")
               for move in ("put", "get", "put_nbi", "get_nbi")}
EXTENSIONS |= {f"shmemx_{type}_{op}_reduce" for type in ("half", "bfloat16") for op in ("max", "min", "sum", "prod")}
EXTENSIONS |= {f"shmemx_{ctx}subarray_{move}" for ctx in ("", "ctx_") for move in ("put", "get", "put_nbi", "get_nbi")}
EXTENSIONS |= {f"shmemx_{ctx}{type}_atomic_{add}" for ctx in ("", "ctx_") for type in ("float", "double")
               for add in ("add", "fetch_add")}

# Names of types in families-1.6.tsv. They repeat spec/types.def on purpose, because the two are compared.
C_TYPES = {
    "float": "float", "double": "double", "longdouble": "long double", "char": "char", "schar": "signed char",
    "short": "short", "int": "int", "long": "long", "longlong": "long long", "uchar": "unsigned char",
    "ushort": "unsigned short", "uint": "unsigned int", "ulong": "unsigned long", "ulonglong": "unsigned long long",
    **{f"{u}int{bits}": f"{u}int{bits}_t" for u in ("", "u") for bits in (8, 16, 32, 64)},
    "size": "size_t", "ptrdiff": "ptrdiff_t", "complexd": "oshen_complexd_t", "complexf": "oshen_complexf_t",
}

# The type names, or sizes, of each table of the standard that families-1.6.tsv names; without spec/ for the same reason.
_BITWISE = "uint ulong ulonglong int32 int64 uint32 uint64"
_ATOMIC = "int long longlong uint ulong ulonglong int32 int64 uint32 uint64 size ptrdiff"
_TEAM_BITWISE = "uchar ushort uint ulong ulonglong int8 int16 int32 int64 uint8 uint16 uint32 uint64 size"
_TEAM_MINMAX = f"char schar short int long longlong ptrdiff {_TEAM_BITWISE} float double longdouble"
_SET_BITWISE = "short int long longlong"
TABLES = {
    "standard RMA": "float double longdouble char schar short int long longlong uchar ushort uint ulong ulonglong "
                    "int8 int16 int32 int64 uint8 uint16 uint32 uint64 size ptrdiff",
    "SIZE 8/16/32/64/128": "8 16 32 64 128",
    "standard AMO": _ATOMIC, "extended AMO": f"float double {_ATOMIC}", "bitwise AMO": _BITWISE,
    "legacy-std": "int long longlong", "legacy-ext": "float double int long longlong", "legacy-wait": _SET_BITWISE,
    "team-bitwise": _TEAM_BITWISE, "team-minmax": _TEAM_MINMAX, "team-sumprod": f"{_TEAM_MINMAX} complexd complexf",
    "aset-bitwise": _SET_BITWISE, "aset-minmax": f"{_SET_BITWISE} float double longdouble",
    "aset-sumprod": f"{_SET_BITWISE} float double longdouble complexd complexf",
    "short,ushort": "short ushort", "-": "",
}


def run(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def standard_names() -> set[str]:
    """The name of each function of the standard: those of its families for each type of their table."""
    names: set[str] = set()
    for line in (FACTS / "families-1.6.tsv").read_text().splitlines():
        family, count, table = line.split("\t")[:3]
        kinds = TABLES[table].split()
        found = {re.sub(r"TYPENAME|SIZE|\{short,ushort\}", kind, family) for kind in kinds} or {family}
        assert len(found) == int(count) and not found & names, f"{family}: {count} names, none of another family"
        names |= found
    return names


def extensions() -> set[str]:
    """EXTENSIONS, and the typed extensions for each type of the standard's function."""
    names = set(EXTENSIONS)
    for ours, standard in TYPED_EXTENSIONS.items():
        for name in standard_names():
            if match := re.fullmatch(standard.replace("*", r"(\w+?)"), name):
                names.add(ours.replace("*", match[1]))
    return names


def report(problems: list[str]) -> int:
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


def differences(what: str, found: set[str], expected: set[str]) -> list[str]:
    return [f"{what}: {name} is missing" for name in sorted(expected - found)] + \
           [f"{what}: {name} is not in the standard's list" for name in sorted(found - expected)]


# ---------------------------------------------------------------- headers

def normal(prototype: str) -> str:
    """The prototype without attributes and with normalised blanks, so that two prototypes can be compared."""
    text = re.sub(r"__attribute__\s*\(\(.*?\)\)", "", prototype)
    return re.sub(r"\s*([(),*])\s*", r"\1", " ".join(text.split())).strip()


def declared(header: str, compiler: str, folder: Path = ROOT / "include") -> dict[str, str]:
    """Name -> prototype of every function that a header declares to a C compiler."""
    text = run(compiler, "-E", "-P", "-x", "c", "-std=c11", f"-I{folder}", str(folder / header))
    prototypes = {}
    for statement in re.sub(r"\{[^{}]*\}", ";", re.sub(r"(struct|enum) *\{[^}]*\}", "", text)).split(";"):
        if statement.strip().startswith(("typedef", "__extension__", "static ")):
            continue
        if match := re.match(r"[^(]*?(\w+)\s*\(", statement.strip()):
            prototypes[match[1]] = normal(statement)
    return prototypes


def families() -> list[tuple[re.Pattern[str], str, str]]:
    """Pattern of the names, return type and arguments of each family."""
    rows = []
    for line in (FACTS / "families-1.6.tsv").read_text().splitlines():
        name, _, _, _, _, returns, arguments = line.split("\t")
        name = name.replace("{short,ushort}", "TYPENAME")
        pattern = re.escape(name).replace("TYPENAME", f"(?P<type>{'|'.join(C_TYPES)})").replace("SIZE", r"\d+")
        rows.append((re.compile(pattern), returns, arguments))
    return rows


def expected_prototypes(name: str, rows: list[tuple[re.Pattern[str], str, str]]) -> set[str]:
    """The prototypes that the standard gives to a name; it can match several families of the same form."""
    found = set()
    for pattern, returns, arguments in rows:
        if match := pattern.fullmatch(name):
            type = C_TYPES.get(match.groupdict().get("type", ""), "")
            found.add(normal(re.sub(r"\bTYPE\b", type, f"{returns} {name}({arguments})")))
    return found


def check_headers(compiler: str) -> int:
    names, rows = standard_names(), families()
    shmem, pshmem = declared("shmem.h", compiler), declared("pshmem.h", compiler)
    twins = {name: text for name, text in pshmem.items() if name not in shmem}
    problems = differences("shmem.h", set(shmem) - CACHE_ROUTINES, names)
    problems += differences("pshmem.h", set(twins), {"p" + name for name in names | CACHE_ROUTINES})
    shmemx, pshmemx = declared("shmemx.h", compiler), declared("pshmemx.h", compiler)
    ours = set(shmemx) - set(shmem)
    problems += differences("shmemx.h", ours, extensions())
    problems += differences("pshmemx.h", set(pshmemx) - set(shmemx), {"p" + name for name in extensions()})
    problems += [f"pshmemx.h: p{name} differs from {name}" for name in sorted(ours)
                 if pshmemx.get("p" + name) != shmemx[name].replace(name + "(", f"p{name}(", 1)]
    for name in sorted(names & set(shmem)):
        expected = expected_prototypes(name, rows)
        if shmem[name] not in expected:
            problems.append(f"shmem.h: {shmem[name]}\n  expected {' or '.join(expected)}")
        if twins.get("p" + name) != shmem[name].replace(name + "(", f"p{name}(", 1):
            problems.append(f"pshmem.h: p{name} differs from {name}")
    print(f"{len(names)} names and prototypes, each with its twin")
    return report(problems)


# ---------------------------------------------------------------- library

SONAME, VERSION = "liboshen.so.0", "OSHEN_1.6"  # what programs ask the loader for; names of a later standard get its version


def exported(library: str) -> dict[str, tuple[str, str, str]]:
    """Name -> (address, kind, version) of the symbols that a library defines for others."""
    symbols = {}
    for line in run("nm", "-D", "--defined-only", library).splitlines():
        address, kind, name = line.split()
        if kind != "A":  # kind A: names of versions
            name, _, version = name.partition("@")
            symbols[name] = (address, kind, version.lstrip("@"))
    return symbols


def soname(library: str) -> str:
    found = re.search(r"\(SONAME\).*\[(.+)\]", run("readelf", "-d", library))
    return found[1] if found else ""


def check_exports(library: str) -> int:
    names, symbols = standard_names() | CACHE_ROUTINES | extensions(), exported(library)
    expected = names | {"p" + name for name in names}
    problems = differences(library, set(symbols), expected)
    for name in sorted(names & set(symbols)):
        twin = symbols.get("p" + name)
        if symbols[name][1] != "W" or twin is None or twin[1] != "T" or twin[0] != symbols[name][0]:
            problems.append(f"{library}: {name} is not a weak alias of p{name}")
    problems += [f"{library}: {name} has version '{symbol[2]}', expected {VERSION}" for name, symbol in symbols.items()
                 if symbol[2] != VERSION]
    if soname(library) != SONAME:
        problems.append(f"{library}: its soname is '{soname(library)}', expected {SONAME}")
    print(f"{len(symbols)} symbols exported")
    return report(problems)


def check_runtime(library: str) -> int:
    problems = []
    for line in run("nm", "-D", "--undefined-only", "--without-symbol-versions", library).splitlines():
        kind, name = line.split()
        # __cxa_finalize and __cxa_atexit belong to libc: every shared object and atexit() use them.
        if re.match(r"_Z|__cxa_(?!finalize$|atexit$)|__gxx|__dynamic_cast|_Unwind|__gnu_cxx", name):
            problems.append(f"{library} needs {name} ({kind}) of the C++ runtime")
    for initialiser in re.findall(r"\b_GLOBAL__sub_I_\w+", run("nm", library)):
        problems.append(f"{library} initialises dynamically: {initialiser}")
    needed = re.findall(r"\(NEEDED\).*\[(.+)\]", run("readelf", "-d", library))
    problems += [f"{library} needs {name}" for name in needed if not re.match(r"libc\.|ld-linux", name)]
    print("needs", ", ".join(needed) or "nothing")
    return report(problems)


def check_size(library: str, budget: float) -> int:
    text = int(run("size", library).splitlines()[1].split()[0])
    print(f"text {text / 2**20:.2f} MiB of {budget:g} MiB")
    return report([f"{library} is over its budget"] if text > budget * 2**20 else [])


# ---------------------------------------------------------------- since the last release

GROWN = "tests/gates/abi/grown.abignore"
PUBLIC = ("shmemx.h", "oshen/exchange.h", "oshen/fft.h")


def our_prototypes(headers: Path, compiler: str) -> list[str]:
    """The functions to compare: all extensions, and those of the standard's functions that use a structure. `headers`
    compares the others."""
    found = {}
    for header in PUBLIC:
        found |= declared(header, compiler, headers)
    return [re.sub(r"\b(\w+)\(", r"(\1)(", text, count=1) for name, text in found.items()  # brackets prevent macros
            if name.startswith(("shmemx_", "oshen_")) or "config_t" in text]


def describe(headers: Path, compiler: str, folder: Path) -> Path:
    """A description of the types, from the debugging information of a library with empty versions of these functions."""
    source, library, description = (folder / f"interface.{kind}" for kind in ("c", "so", "abi"))
    source.write_text("".join(f"#include <{header}>\n" for header in PUBLIC) +
                      "".join(f"{text} {{ __builtin_trap(); }}\n" for text in our_prototypes(headers, compiler)))
    run(compiler, "-std=c11", "-w", "-g", "-shared", "-fPIC", f"-I{headers}", str(source), "-o", str(library))
    description.write_text(run("abidw", "--no-architecture", "--no-corpus-path", "--no-comp-dir-path", "--no-show-locs",
                               "--no-elf-needed", "--no-parameter-names", str(library)))
    return description


def last_release(root: Path) -> str:
    """The version of the newest release that CHANGELOG.md has; empty before the first."""
    found = re.search(r"^## \[?v?(\d+(?:\.\d+)+)", (root / "CHANGELOG.md").read_text(), re.M)
    return found[1] if found else ""


def headers_of(root: Path, tag: str, folder: Path) -> Path:
    """The public headers of a tag."""
    archive = subprocess.run(["git", "archive", tag, "include"], cwd=root, capture_output=True)
    if archive.returncode != 0:
        raise SystemExit(f"interface: no headers of the last release: {archive.stderr.decode().strip()}: "
                         f"git fetch origin tag {tag}")
    subprocess.run(["tar", "-x", "-C", str(folder)], input=archive.stdout, check=True)
    return folder / "include"


def check_interface(root: Path, compiler: str) -> int:
    version = last_release(root)
    if not version:
        print("interface: nothing is released yet")
        return 0
    with tempfile.TemporaryDirectory(prefix="oshen-interface-") as place:
        old, new = Path(place, "old"), Path(place, "new")
        for folder in (old, new):
            folder.mkdir()
        known = describe(headers_of(root, f"v{version}", old), compiler, old)
        found = describe(root / "include", compiler, new)
        told = subprocess.run(["abidiff", "--no-added-syms", "--no-architecture", "--suppressions", str(root / GROWN),
                               str(known), str(found)],
                              capture_output=True, text=True)
    print(f"interface against {version}: {'all is there' if told.returncode == 0 else 'not the same'}")
    if told.returncode == 0:
        return 0
    return report([told.stdout + told.stderr, f"Programs of {version} may not work with this. A structure that begins with its "
                   f"size may grow at its end: then {GROWN} names it. Anything else needs another soname"])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gate", choices=["headers", "names", "exports", "runtime", "size", "interface"])
    parser.add_argument("library", nargs="?", metavar="LIBRARY")
    parser.add_argument("budget", nargs="?", type=float, default=2.0)
    parser.add_argument("--root", type=Path, default=ROOT, help="the clone of interface")
    parser.add_argument("--cc", default="cc", help="C compiler that reads the headers")
    options = parser.parse_args()
    if options.gate == "headers":
        return check_headers(options.cc)
    if options.gate == "names":
        print(*sorted(standard_names()), sep="\n")
        return 0
    if options.gate == "interface":
        return check_interface(options.root, options.cc)
    if not options.library:
        parser.error("which library?")
    gates = {"exports": check_exports, "runtime": check_runtime}
    return gates[options.gate](options.library) if options.gate in gates else \
        check_size(options.library, options.budget)


if __name__ == "__main__":
    sys.exit(main())
