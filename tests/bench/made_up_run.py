"""A run of oshbench with known costs, and the check of a page in HTML."""

from html.parser import HTMLParser

from oshbench.results.run import LaunchResult, Run


def entry(case: str, size: int, pes: int, value: float, unit: str = "ns", **more: object) -> dict:
    return {"case": case, "size": size, "pes": pes, "how": "made up", "unit": unit, "count": 1, "ok": True,
            "values": [value, value * 1.02, value * 0.98], "switches": [0, 0, 0]} | more


def run(factor: dict[str, float], all_of_it: bool = True) -> Run:
    """A run of libraries that are `factor` times as slow as the first."""
    launches = []
    for number in range(5):
        for name, slow in factor.items():
            records = []
            for pes in (2, 4):
                for case in ("put", "broadcast", "pp_flag", "pp_signal"):
                    records += [entry(case, size, pes, slow * (100 + size / 10)) for size in (8, 1024, 65536)]
                records += [entry(c, 8, pes, slow * 50) for c in ("put_quiet", "fetch_add", "amo.add.64.private")]
                records += [entry("barrier_all", 0, pes, slow * 300), entry("start.init", 0, pes, slow * 1e7)]
                records += [entry(f"memory.barrier.{m}", 0, pes, slow * 3000 * pes, "kB") for m in ("hwm", "pss")]
                records.append(entry("app.heat_image.barrier", 0, pes, slow * 1e9,
                                     extra={"merit": 1, "merit_unit": "Mcell/s",
                                            "phases": {"compute": 80, "wait": 20}}))
                records += [entry(f"mt_rate.single.put.{ctx}.quiet.t{t}", 8, pes, slow * 30 / t) for t in (1, 2)
                            for ctx in ("default", "private")]
            if not all_of_it:
                records = [r for r in records if r["case"] == "put"]
            launches.append(LaunchResult(f"{number}/{name}", number, name, "cases", 2,
                                         "signal 6" if name == "crashing" else "ok", seconds=1, records=records))
    libraries = {name: {"name": name, "kind": "shmem", "version": f"{name} 1.0", "spec": "1.5",
                        "features": {"teams": True}, "compiler": "cc", "run": ["/opt/x/run", "-n", "{np}"],
                        "env": {"A": "1"}} for name in factor}
    return Run("standard", "oshbench run standard", {"CPU": "Some CPU", "CPUs": "2", "kernel": "Linux 6.1"}, libraries,
               launches, True, load=[0, 0])


class Structure(HTMLParser):
    """Collects the elements that are not closed, and references to other files."""

    ALONE = {"meta", "br", "img", "link", "hr", "input", "path", "use", "rect", "line", "circle", "stop"}

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.wrong: list[str] = []
        self.fetched: list[str] = []
        self.pictures = 0

    def handle_starttag(self, tag: str, attributes: list) -> None:
        self.pictures += tag == "svg"
        self.fetched += [v for k, v in attributes if k in ("src", "href") and v and not v.startswith("#")]
        if tag not in self.ALONE:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self.ALONE:
            return
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)
