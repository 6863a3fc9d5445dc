# SPDX-License-Identifier: BSD-3-Clause
"""Names of functions from debug files, for programs without a symbol table.

libdw of elfutils finds the debug file as a debugger does: by its build ID or its link, beside the program or in
/usr/lib/debug. It is opened if it is installed (Debian: libdw1). Without it a function is shown as its file and offset.
"""
import ctypes
import functools
import os


class _Callbacks(ctypes.Structure):
    _fields_ = [("find_elf", ctypes.c_void_p), ("find_debuginfo", ctypes.c_void_p),
                ("section_address", ctypes.c_void_p),
                ("debuginfo_path", ctypes.c_void_p)]


def _address_of(function):
    return ctypes.cast(function, ctypes.c_void_p).value


class DebugFiles:
    """The modules that libdw has opened. OSError: there is no libdw."""

    def __init__(self, library="libdw.so.1"):
        dw = self._dw = ctypes.CDLL(library)
        pointer, text, address = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_uint64
        dw.dwfl_begin.restype, dw.dwfl_begin.argtypes = pointer, [pointer]
        dw.dwfl_report_offline.restype, dw.dwfl_report_offline.argtypes = pointer, [pointer, text, text, ctypes.c_int]
        dw.dwfl_report_end.argtypes = [pointer] * 3
        dw.dwfl_module_info.argtypes = [pointer] * 8
        dw.dwfl_module_addrname.restype, dw.dwfl_module_addrname.argtypes = text, [pointer, address]
        self._callbacks = _Callbacks(None, _address_of(dw.dwfl_standard_find_debuginfo),
                                     _address_of(dw.dwfl_offline_section_address), None)

    @functools.cache
    def _module(self, file):
        """The module of a file and its first address; None if it is not ELF."""
        session = self._dw.dwfl_begin(ctypes.byref(self._callbacks))
        name = os.fsencode(file)
        module = session and self._dw.dwfl_report_offline(session, name, name, -1)
        if not module:
            return None
        self._dw.dwfl_report_end(session, None, None)
        start = ctypes.c_uint64()
        self._dw.dwfl_module_info(module, None, ctypes.byref(start), None, None, None, None, None)
        return module, start.value

    def name(self, file, offset):
        """The name of the function that has this offset from the first address of the loaded file, or an empty
        string."""
        found = self._module(file)
        name = found and self._dw.dwfl_module_addrname(found[0], found[1] + offset)
        return demangled(name) if name else ""


def demangled(name):
    """The name of a C++ function as in its source, if a C++ runtime is here."""
    if not name.startswith(b"_Z"):
        return name.decode(errors="replace")
    try:
        demangle = ctypes.CDLL("libstdc++.so.6").__getattr__("__cxa_demangle")
    except (OSError, AttributeError):
        return name.decode(errors="replace")
    demangle.restype, demangle.argtypes = ctypes.c_void_p, [ctypes.c_char_p, ctypes.c_void_p, ctypes.c_void_p,
                                                            ctypes.c_void_p]
    made = demangle(name, None, None, None)
    if not made:
        return name.decode(errors="replace")
    text = ctypes.string_at(made).decode(errors="replace")
    free = ctypes.CDLL(None).free
    free.argtypes = [ctypes.c_void_p]
    free(made)
    return text


@functools.cache
def _debug_files(library):
    try:
        return DebugFiles(library)
    except (OSError, AttributeError):
        return None


@functools.cache
def function_at(file, offset, library="libdw.so.1"):
    """The name of the function to which a call returns at this offset of a file; file+offset if it is unknown."""
    files = _debug_files(library)
    # A return address may lie behind its function: the call is before it.
    name = files.name(file, max(offset - 1, 0)) if files else ""
    return name or f"{os.path.basename(file)}+{offset:#x}"
