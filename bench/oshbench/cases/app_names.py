"""The names of the cases of mini-apps: app.APP.SYNC, then scaling and threads if they were given, as
app.hpccg.signal.strong.t2."""

from __future__ import annotations

# Apps whose size is per PE by default.
WEAK = ("daxpy", "hpccg", "isx", "bale_histogram", "bale_gather")


def case_of(app: str, sync: str, args: tuple[str, ...]) -> str:
    given = dict(zip(args, args[1:]))
    threads = threads_of(args)
    more = [given["--scaling"]] if "--scaling" in given else []
    return ".".join(["app", app, sync, *more, *([f"t{threads}"] if threads > 1 else [])])


def threads_of(args: tuple[str, ...]) -> int:
    given = dict(zip(args, args[1:])).get("--threads", "1")
    return int(given) if given.isdigit() else 1


def app_of(case: str) -> str:
    """The app of a case; empty for other cases."""
    return case.split(".")[1] if case.startswith("app.") else ""


def sync_of(case: str) -> str:
    return case.split(".")[2]


def variant_of(case: str) -> str:
    """The scaling, named or default, and the number of threads if there are several."""
    more = case.split(".")[3:]
    named = bool(more) and more[0] in ("strong", "weak")
    usual = "weak" if app_of(case) in WEAK else "strong"
    return ".".join(more if named else [usual, *more])
