# SPDX-License-Identifier: BSD-3-Clause
"""Teams and contexts."""

from __future__ import annotations

import ctypes
import enum
from typing import Any, Mapping, Optional, TypeVar

from ._in_flight import completing
from ._library import function, require_started
from ._lifetime import at_end


class CTX(enum.IntFlag):
    """Options of contexts."""

    SERIALIZED, PRIVATE, NOSTORE, REQUIRED = 1, 2, 4, 16


CTX_SERIALIZED, CTX_PRIVATE, CTX_NOSTORE = CTX.SERIALIZED, CTX.PRIVATE, CTX.NOSTORE
NUM_CONTEXTS = 1  # mask of team configurations


Self = TypeVar("Self", bound="_Handle")


class _Handle:
    """A team or a context. Handles of the same object are equal. `with` destroys a created object."""

    PREDEFINED: frozenset[int] = frozenset()
    created: set[int] = set()  # numbers of objects that are not destroyed

    def __init_subclass__(cls) -> None:
        cls.created = set()
        at_end(cls.created.clear)

    _number: int

    def __init__(self, other: Optional["_Handle"] = None):
        if other is not None and type(other) is not type(self):
            raise TypeError(f"other = {type(other).__name__}: expected a {type(self).__name__} or None")
        self._number = other._number if other is not None else 0

    @classmethod
    def of(cls: type[Self], number: Optional[int]) -> Self:
        """A handle of an object that exists."""
        made = cls()
        made._number = number or 0
        return made

    @classmethod
    def of_new(cls: type[Self], number: Optional[int]) -> Self:
        """A handle of an object that was created; of none if there is no number."""
        if number:
            cls.created.add(number)
        return cls.of(number)

    @classmethod
    def constants(cls) -> tuple["_Handle", ...]:
        return ()

    def destroy(self) -> None:
        raise NotImplementedError

    def __eq__(self, other: Any) -> bool:
        return self._number == other._number if isinstance(other, type(self)) else NotImplemented

    def __hash__(self) -> int:
        raise TypeError(f"unhashable type: {type(self).__name__!r}")

    def __bool__(self) -> bool:
        return self._number != 0

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, *_) -> None:
        self.destroy()

    def _forget(self) -> int:
        """Invalidates the handle and returns the number to destroy; 0 for predefined objects. The constants stay valid."""
        number = self._number
        if number not in self.PREDEFINED:
            number = self._valid()
            self._number = 0
            self.created.discard(number)
            return number
        if not any(self is constant for constant in self.constants()):
            self._number = 0
        return 0

    def _valid(self) -> int:
        """The number of a valid handle."""
        if not self:
            raise RuntimeError(f"this {type(self).__name__} is invalid")
        if self._number not in self.PREDEFINED and self._number not in self.created:
            raise RuntimeError(f"this {type(self).__name__} is destroyed")
        return self._number

    def _usable(self) -> int:
        """The same, if the library is initialised."""
        require_started()
        return self._valid()


class Ctx(_Handle):
    """A context: its own fence and quiet order and complete its operations.

    Parameters:
        other: a context, of which this is a second handle; None makes an invalid handle
    Raises: TypeError for another object
    Example:
        with shmem.Ctx.create() as ctx:
            shmem.put_nbi(target, [1.0, 2.0], right, ctx=ctx)
            ctx.quiet()
    """

    PREDEFINED = frozenset({0, 1})

    @classmethod
    def constants(cls) -> tuple[_Handle, ...]:
        return CTX_DEFAULT, CTX_INVALID

    @staticmethod
    def create(options: int = 0, team: Optional["Team"] = None) -> "Ctx":
        """Creates a context. PE numbers count in `team` if it is given. Not collective.

        Parameters:
            options: CTX_SERIALIZED, CTX_PRIVATE, CTX_NOSTORE or a sum of them; with CTX.REQUIRED the creation fails if
                the network has no endpoint left for this context alone
            team: the team; by default all PEs
        Returns: the context
        Raises: ValueError for other options; RuntimeError if there can be no more such contexts
        Example:
            with shmem.Ctx.create(shmem.CTX_PRIVATE) as ctx:
                shmem.put(target, [1.0], right, ctx=ctx)
        """
        require_started()
        made = ctypes.c_void_p()
        if options & ~int(CTX.SERIALIZED | CTX.PRIVATE | CTX.NOSTORE | CTX.REQUIRED):
            raise ValueError(f"options = {options}: expected CTX_SERIALIZED, CTX_PRIVATE, CTX_NOSTORE, CTX.REQUIRED or a sum of "
                             "them")
        if team is None:
            create = function("shmem_ctx_create", ctypes.c_int, ctypes.c_long, ctypes.c_void_p)
            status = create(options, ctypes.byref(made))
        else:
            create = function("shmem_team_create_ctx", ctypes.c_int, ctypes.c_void_p, ctypes.c_long, ctypes.c_void_p)
            status = create(team._usable(), options, ctypes.byref(made))
        if status:
            raise RuntimeError("cannot create a context")
        return Ctx.of_new(made.value)

    def destroy(self) -> None:
        """Completes the operations of the context and destroys it.

        Raises: RuntimeError if it was destroyed through another handle
        """
        if number := self._forget():
            with completing(number):
                function("shmem_ctx_destroy", None, ctypes.c_void_p)(number)

    def get_team(self) -> "Team":
        """The team of the context.

        Returns: the team
        Raises: RuntimeError if the context is invalid or destroyed, or before init
        """
        team = ctypes.c_void_p()
        if function("shmem_ctx_get_team", ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(self._usable(), ctypes.byref(team)):
            raise RuntimeError("shmem_ctx_get_team failed")
        return Team.of(team.value)

    def fence(self) -> None:
        """Orders earlier puts before later puts, for each target PE.

        Raises: RuntimeError if the context is destroyed, or before init
        """
        number = self._usable() if self else 0  # on an invalid context, the standard has no effect
        function("shmem_ctx_fence", None, ctypes.c_void_p)(number)

    def quiet(self) -> None:
        """Completes all operations of the context.

        Raises: RuntimeError if the context is destroyed, or before init
        """
        number = self._usable() if self else 0
        with completing(number):
            function("shmem_ctx_quiet", None, ctypes.c_void_p)(number)

    def quiet_local(self) -> None:
        """Waits until the sources of earlier put_nbi and put_signal_nbi may be changed; quiet completes them.

        Raises: RuntimeError if the context is destroyed, or before init
        """
        function("shmemx_ctx_quiet_local", None, ctypes.c_void_p)(self._usable() if self else 0)


def _check_configuration(options: Mapping[str, int]) -> None:
    for name, value in options.items():
        if name != "num_contexts":
            raise TypeError(f"{name} = {value}: expected num_contexts, the only option of a team")
        if value < 0:
            raise ValueError(f"num_contexts = {value}: expected at least 0")


class Team(_Handle):
    """A team of PEs.

    Parameters:
        other: a team, of which this is a second handle; None makes an invalid handle
    Raises: TypeError for another object
    Example:
        with shmem.TEAM_WORLD.split_strided(0, 1, shmem.n_pes()) as team:
            shmem.sum_reduce(target, target, team=team)
    """

    PREDEFINED = frozenset({0, 1, 2})

    @classmethod
    def constants(cls) -> tuple[_Handle, ...]:
        return TEAM_WORLD, TEAM_SHARED, TEAM_INVALID

    def destroy(self) -> None:
        """Destroys the team. Collective over it.

        Raises: RuntimeError if it was destroyed through another handle
        """
        if number := self._forget():
            function("shmem_team_destroy", None, ctypes.c_void_p)(number)

    def split_strided(self, start: int = 0, stride: int = 1, size: Optional[int] = None,
                      config: Optional[Mapping[str, int]] = None, **options: int) -> "Team":
        """A team of the `size` PEs start, start + stride, ...; other PEs get TEAM_INVALID. Collective over this team.

        Parameters:
            start: the first PE
            stride: the distance of two PEs; may be negative
            size: the number of PEs; by default up to the end of this team
            config: options as a mapping
            options: num_contexts: how many contexts the team will have
        Returns: the team, or TEAM_INVALID
        Raises: ValueError, TypeError for other options; RuntimeError for PEs that do not exist
        Example:
            team = shmem.TEAM_WORLD.split_strided(0, 1, 1)
            if team:
                team.destroy()
        """
        options = {**(config or {}), **options}
        _check_configuration(options)
        if size is None:
            size = 1 if stride == 0 else max(0, (self.n_pes() - start + stride - 1) // stride)
        contexts, made = ctypes.c_int(options.get("num_contexts", 0)), ctypes.c_void_p()
        split = function("shmem_team_split_strided", ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_int,
                         ctypes.c_int, ctypes.c_void_p, ctypes.c_long, ctypes.c_void_p)
        mask = NUM_CONTEXTS if "num_contexts" in options else 0
        if split(self._usable(), start, stride, size, ctypes.byref(contexts), mask, ctypes.byref(made)):
            raise RuntimeError(f"cannot split the team of {self.n_pes()} PEs: start = {start}, stride = {stride}, size = {size}")
        return Team.of_new(made.value)

    def get_config(self) -> dict[str, int]:
        """The configuration of the team.

        Returns: the options
        Raises: RuntimeError if the team is invalid or destroyed, or before init
        """
        contexts = ctypes.c_int()
        get = function("shmem_team_get_config", ctypes.c_int, ctypes.c_void_p, ctypes.c_long, ctypes.c_void_p)
        if get(self._usable(), NUM_CONTEXTS, ctypes.byref(contexts)):
            raise RuntimeError("shmem_team_get_config failed")
        return {"num_contexts": contexts.value}

    def my_pe(self) -> int:
        """Number of this PE in the team.

        Returns: 0 to n_pes() - 1
        Raises: RuntimeError if the team is invalid or destroyed, or before init
        """
        return function("shmem_team_my_pe", ctypes.c_int, ctypes.c_void_p)(self._usable())

    def n_pes(self) -> int:
        """Number of PEs of the team.

        Returns: at least 1
        Raises: RuntimeError if the team is invalid or destroyed, or before init
        """
        return function("shmem_team_n_pes", ctypes.c_int, ctypes.c_void_p)(self._usable())

    def translate_pe(self, pe: Optional[int] = None, team: Optional["Team"] = None) -> int:
        """The number in `team` (default: TEAM_WORLD) of PE `pe` of this team (default: this PE), or -1.

        Parameters:
            pe: a PE of this team; by default this PE
            team: the other team; by default TEAM_WORLD
        Returns: the number, or -1 if the PE is not in the other team
        Raises: RuntimeError if the team is invalid or destroyed, or before init
        """
        translate = function("shmem_team_translate_pe", ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)
        into = TEAM_WORLD if team is None else team
        return translate(self._usable(), self.my_pe() if pe is None else pe, into._valid() if into else 0)

    def create_ctx(self, options: int = 0) -> Ctx:
        """Creates a context of the team.

        Parameters:
            options: CTX_SERIALIZED, CTX_PRIVATE, CTX_NOSTORE or a sum of them
        Returns: the context
        Raises: ValueError for other options; RuntimeError if there can be no more contexts
        """
        return Ctx.create(options, self)

    def sync(self) -> None:
        """Waits until all PEs of the team have arrived.

        Raises: RuntimeError if the team is invalid or destroyed, or before init
        """
        function("shmem_team_sync", ctypes.c_int, ctypes.c_void_p)(self._usable())


CTX_DEFAULT, CTX_INVALID = Ctx.of(1), Ctx.of(0)
TEAM_WORLD, TEAM_SHARED, TEAM_INVALID = Team.of(1), Team.of(2), Team.of(0)


def number_of(ctx: Optional[Ctx]) -> int:
    if not isinstance(ctx, (Ctx, type(None))):
        raise TypeError(f"ctx = {ctx!r}: expected a Ctx")
    return (CTX_DEFAULT if ctx is None else ctx)._valid()


def team_number(team: Optional[Team]) -> int:
    if not isinstance(team, (Team, type(None))):
        raise TypeError(f"team = {team!r}: expected a Team")
    return (TEAM_WORLD if team is None else team)._valid()


def fence(ctx: Optional[Ctx] = None) -> None:
    """Ctx.fence of a context or of the default one.

    Parameters:
        ctx: the context; CTX_DEFAULT if None
    Raises: RuntimeError for a destroyed context or before init
    Example: shmem.fence()
    """
    (CTX_DEFAULT if ctx is None else ctx).fence()


def quiet(ctx: Optional[Ctx] = None) -> None:
    """Ctx.quiet of a context or of the default one.

    Parameters:
        ctx: the context; CTX_DEFAULT if None
    Raises: RuntimeError for a destroyed context or before init
    Example: shmem.quiet()
    """
    (CTX_DEFAULT if ctx is None else ctx).quiet()


def quiet_local(ctx: Optional[Ctx] = None) -> None:
    """Ctx.quiet_local of a context or of the default one. An extension: shmem4py does not have it.

    Parameters:
        ctx: the context; CTX_DEFAULT if None
    Raises: RuntimeError for a destroyed context or before init
    Example:
        source = np.ones(4)
        shmem.put_nbi(target, source, right)
        shmem.quiet_local()
        source[:] = 0
    """
    (CTX_DEFAULT if ctx is None else ctx).quiet_local()
