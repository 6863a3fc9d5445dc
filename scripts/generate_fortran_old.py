# SPDX-License-Identifier: BSD-3-Clause
"""The Fortran interface of OpenSHMEM up to 1.4, which 1.5 removed: shmem.fh and its procedures.

Programs call these procedures without an interface, so they are external procedures in Fortran. The program's own
compiler compiles them, so that they get the names which it gives to external procedures.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from api_spec import Spec
from generate_fortran import Module

WAIT_TYPES = {"": "integer", "int4_": "integer(4)", "int8_": "integer(8)"}
ATOMIC_TYPES = {"int4": "integer(4)", "int8": "integer(8)", "real4": "real(4)", "real8": "real(8)"}
# Bytes of one element of each type.
ELEMENTS = {"character": "1", "integer": "storage_size(1) / 8", "logical": "storage_size(.true.) / 8",
            "real": "storage_size(1.0) / 8", "double": "storage_size(1d0) / 8", "complex": "storage_size((1.0, 1.0)) / 8",
            "4": "4", "8": "8", "32": "4", "64": "8", "128": "16", "": "8", "mem": "1"}
REDUCED = {"int2": ("integer(2)", "short"), "int4": ("integer(4)", "int"), "int8": ("integer(8)", "long"),
           "real4": ("real(4)", "float"), "real8": ("real(8)", "double"),
           "comp4": ("complex(4)", "complexf"), "comp8": ("complex(8)", "complexd")}
SET = "PE_start, logPE_stride, PE_size, pSync"
SET_TYPES = "  integer :: PE_start, logPE_stride, PE_size, pSync(*)\n  target :: pSync\n"
BYTES = "  integer(c_int8_t), target :: dest(*), source(*)\n"


@dataclass(frozen=True)
class Procedure:
    head: str  # subroutine name(arguments)
    declared: str
    body: str

    def in_module(self) -> str:
        """The procedure in a module of its own, because gfortran confuses an external procedure with a C function of the
        same name if both are visible."""
        return self.text(self.head.replace(" ", " old_", 1), self.declared.replace(" :: shmem", " :: old_shmem"),
                         self.body.replace("shmem_", "old_shmem_", 1) if "function" in self.head else self.body)

    def external(self) -> str:
        call = self.head.split(" ", 1)[1]
        name = call.split("(")[0]
        body = f"{name} = old_{call}" if "function" in self.head else f"call old_{call}"
        return self.text(self.head, "use oshen_old\nimplicit none\n" + self.declared, body)

    @staticmethod
    def text(head: str, declared: str, body: str) -> str:
        inner = "".join(f"  {line.strip()}\n" for line in declared.strip().splitlines())
        inner += "".join(f"  {line}\n" for line in body.strip("\n").splitlines())
        return f"{head}\n{inner}end {'function' if 'function' in head else 'subroutine'}\n"


def moves() -> list[Procedure]:
    found = []
    for stem, bytes in ELEMENTS.items():
        for way in ("put", "get"):
            name = f"{stem}_{way}" if stem.isalpha() and stem != "mem" else f"{way}{stem}"
            for ending in ("", "_nbi"):
                found.append(Procedure(
                    f"subroutine shmem_{name}{ending}(dest, source, n, pe)", f"{BYTES}  integer :: n, pe",
                    f"call c_shmem_{way}mem{ending}(c_loc(dest), c_loc(source), ({bytes}) * int(n, c_size_t), int(pe, c_int))"))
            if stem in ("mem", "character", ""):
                continue
            strided = f"{stem}_i{way}" if stem.isalpha() else f"i{way}{stem}"
            found.append(Procedure(
                f"subroutine shmem_{strided}(dest, source, dst, sst, n, pe)", f"{BYTES}  integer :: dst, sst, n, pe\ninteger(c_size_t), parameter :: bytes = {bytes}",
                f"call c_shmem_ib{way}8(c_loc(dest), c_loc(source), bytes * dst, bytes * sst, bytes, int(n, c_size_t), int(pe, c_int))"))
    return found


def atomics() -> list[Procedure]:
    found = []
    for stem, type in ATOMIC_TYPES.items():
        head, c = f"shmem_{stem}_", {"int4": "int", "int8": "long", "real4": "float", "real8": "double"}[stem]
        calls = {"swap": "dest, value, pe", "fetch": "dest, pe", "set": "dest, value, pe"}
        if stem.startswith("int"):
            calls |= {"cswap": "dest, cond, value, pe", "fadd": "dest, value, pe", "finc": "dest, pe",
                      "add": "dest, value, pe", "inc": "dest, pe"}
        names = {"cswap": "compare_swap", "fadd": "fetch_add", "finc": "fetch_inc"}
        for call, arguments in calls.items():
            target = f"c_shmem_{c}_atomic_{names.get(call, call)}"
            handed = arguments.replace("dest", "c_loc(dest)").replace("pe", "int(pe, c_int)")
            values = "".join(f", {a}" for a in ("cond", "value") if a in arguments)
            declared = f"{type}, target :: dest\n" + (f"{type} :: {values[2:]}\n" if values else "") + "integer :: pe"
            name = head + call
            if call in ("set", "add", "inc"):
                found.append(Procedure(f"subroutine {name}({arguments})", declared, f"call {target}({handed})"))
            else:
                found.append(Procedure(f"function {name}({arguments})", f"{declared}\n{type} :: {name}",
                                       f"{name} = {target}({handed})"))
    return found


def swap() -> list[Procedure]:
    """For integers of the default kind."""
    return [Procedure("function shmem_swap(dest, value, pe)",
                      "integer, target :: dest\ninteger :: value, pe\ninteger :: shmem_swap",
                      "shmem_swap = swapped(dest, value, int(pe, c_int))")]


def collectives() -> list[Procedure]:
    found = []
    for bits, names in ((32, ("4", "32")), (64, ("8", "64"))):
        for n in names:
            for call in ("collect", "fcollect") + (("alltoall",) if len(n) > 1 else ()):
                found.append(Procedure(
                    f"subroutine shmem_{call}{n}(dest, source, n, {SET})", f"{BYTES}  integer :: n\n{SET_TYPES}",
                    f"call c_shmem_{call}{bits}(c_loc(dest), c_loc(source), int(n, c_size_t), &\n"
                    f"  int(PE_start, c_int), int(logPE_stride, c_int), int(PE_size, c_int), c_loc(pSync))"))
            found.append(Procedure(
                f"subroutine shmem_broadcast{n}(dest, source, n, PE_root, {SET})",
                f"{BYTES}  integer :: n, PE_root\n{SET_TYPES}",
                f"call c_shmem_broadcast{bits}(c_loc(dest), c_loc(source), int(n, c_size_t), int(PE_root, c_int), &\n"
                f"  int(PE_start, c_int), int(logPE_stride, c_int), int(PE_size, c_int), c_loc(pSync))"))
        found.append(Procedure(
            f"subroutine shmem_alltoalls{bits}(dest, source, dst, sst, n, {SET})",
            f"{BYTES}  integer :: dst, sst, n\n{SET_TYPES}",
            f"call c_shmem_alltoalls{bits}(c_loc(dest), c_loc(source), int(dst, c_ptrdiff_t), int(sst, c_ptrdiff_t), &\n"
            f"  int(n, c_size_t), int(PE_start, c_int), int(logPE_stride, c_int), int(PE_size, c_int), c_loc(pSync))"))
    return found


def reductions() -> list[Procedure]:
    found = []
    for stem, (type, c) in REDUCED.items():
        operations = ["sum", "prod"]
        if not stem.startswith("comp"):
            operations += ["max", "min"]
        if stem.startswith("int"):
            operations += ["and", "or", "xor"]
        for op in operations:
            found.append(Procedure(
                f"subroutine shmem_{stem}_{op}_to_all(dest, source, n, PE_start, logPE_stride, PE_size, pWrk, pSync)",
                f"{type}, target :: dest(*), source(*), pWrk(*)\ninteger :: n\n{SET_TYPES}",
                f"call c_shmem_{c}_{op}_to_all(c_loc(dest), c_loc(source), int(n, c_int), &\n"
                f"  int(PE_start, c_int), int(logPE_stride, c_int), int(PE_size, c_int), c_loc(pWrk), c_loc(pSync))"))
    return found


def quad_reductions() -> str:
    """The reductions of REAL*16, which C lacks."""
    arguments = "dest, source, n, PE_start, logPE_stride, PE_size, pWrk, pSync"
    texts = []
    for op, value in (("max", "maxval(all, 2)"), ("min", "minval(all, 2)"), ("sum", "sum(all, 2)"), ("prod", "product(all, 2)")):
        texts.append(f"""subroutine shmem_real16_{op}_to_all({arguments})
  use oshen_real16, only: gathered
  implicit none
  integer :: n, PE_start, logPE_stride, PE_size, pSync(*)
  real(16) :: dest(n), source(n), pWrk(*)
  real(16), allocatable :: all(:, :)
  all = gathered(source, n, PE_start, logPE_stride, PE_size, pSync)
  dest = {value}
  if (.false.) pWrk(1) = 0 ! part of the interface
end subroutine
""")
    return "\n".join(texts)


def waits() -> list[Procedure]:
    found = []
    for stem, type in WAIT_TYPES.items():
        declared = f"{type} :: ivar, value"
        found.append(Procedure(f"subroutine shmem_{stem}wait(ivar, value)", declared,
                               "call until(ivar, SHMEM_CMP_NE, value)"))
        found.append(Procedure(f"subroutine shmem_{stem}wait_until(ivar, cmp, value)", f"{declared}\ninteger :: cmp",
                               "call until(ivar, int(cmp, c_int), value)"))
    return found


def others() -> list[Procedure]:
    """Routines whose names also exist in C."""
    return [Procedure("subroutine start_pes(npes)", "integer :: npes", "call c_start_pes(int(npes, c_int))"),
            Procedure(f"subroutine shmem_barrier({SET})", SET_TYPES,
                      "call c_shmem_barrier(int(PE_start, c_int), int(logPE_stride, c_int), int(PE_size, c_int), c_loc(pSync))")]


def procedures() -> list[Procedure]:
    return [*others(), *moves(), *atomics(), *swap(), *collectives(), *reductions(), *waits()]


def in_module() -> str:
    return "\n".join(p.in_module() for p in procedures())


def external() -> str:
    return "\n".join(p.external() for p in procedures())


def interfaces(spec: Spec) -> str:
    """The C functions that those procedures call."""
    old = Module(spec, status="old").interfaces
    standard = Module(spec, status="std").interfaces
    text = in_module()
    return "\n".join(i for i in old + standard if (name := i.split("(")[0].split()[-1]) and f" {name}(" in text)


def function_types(template: str) -> str:
    """Declarations of the functions whose value is an integer or a real number, for both source forms. `template` has those that are
    written by hand."""
    found = re.findall(r"^(integer) function (\w+)", template, re.M)
    for p in procedures():
        if "function" in p.head:
            name = p.head.split(" ", 1)[1].split("(")[0]
            type = re.search(rf"^(\S+) :: {name}$", p.declared.replace("  ", ""), re.M)[1]
            found.append((type.replace("(", "*").rstrip(")"), name))
    return "\n".join(f"      {type} {name}" for type, name in found)


def constants(spec: Spec) -> str:
    """The constants as default integers, and the name of the library, as old programs expect. Statements are in columns 7 to 72 and there are no
    comments, so that the file is valid in both source forms."""
    lines = []
    for c in spec.constants:
        if c.name == "SHMEM_VENDOR_STRING":
            name = c.value.strip('"')
            lines += [f"      character*{len(name)} {c.name}", f"      parameter ({c.name}='{name}')"]
        if not c.value.rstrip("L").isdigit():
            continue
        value = c.value.rstrip("L")
        lines += [f"      integer {c.name}", f"      parameter ({c.name}={value})"]
    return "\n".join(lines)
