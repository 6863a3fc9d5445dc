"""Small inputs for LAMMPS that reach every use of its FFT: rock salt and water, in several variants."""

SALT = """
units real
atom_style charge
boundary {boundary}
lattice custom 5.64 a1 1 0 0 a2 0 1 0 a3 0 0 1 &
  basis 0.0 0.0 0.0 basis 0.5 0.5 0.0 basis 0.5 0.0 0.5 basis 0.0 0.5 0.5 &
  basis 0.5 0.0 0.0 basis 0.0 0.5 0.0 basis 0.0 0.0 0.5 basis 0.5 0.5 0.5
region box {region} units lattice
create_box 2 box
region atoms {atoms} units lattice
create_atoms 1 region atoms basis 5 2 basis 6 2 basis 7 2 basis 8 2
mass 1 22.99
mass 2 35.45
set type 1 charge 1.0
set type 2 charge -1.0
displace_atoms all random 0.2 0.2 0.2 4711 units box
pair_style {pair}
pair_coeff * * 0.1 2.5
kspace_style {kspace}
{modify}
neighbor 1.0 bin
velocity all create 300 1234
fix move all nve
timestep 0.5
thermo 1
thermo_style custom step temp pe elong press
{extra}
run {steps}
"""

BOX = "block 0 4 0 4 0 4"


def salt(kspace="pppm 1e-4", modify="", extra="", steps=2, boundary="p p p", region=BOX, atoms=None,
         pair="lj/cut/coul/long 6.0"):
    """512 ions of rock salt, slightly displaced."""
    atoms = atoms or region
    if modify:
        modify = f"kspace_modify {modify}"
    return SALT.format(**locals())


WATER = """
units real
atom_style full
boundary p p p
read_data {data}
bond_style harmonic
angle_style harmonic
pair_style {pair}
pair_coeff 1 1 0.1852 3.1589
pair_coeff 2 2 0.0 0.0
pair_coeff 1 2 0.0 0.0
bond_coeff 1 450.0 0.9572
angle_coeff 1 55.0 104.52
kspace_style {kspace}
{modify}
neighbor 1.0 bin
velocity all create 300 1234
fix move all nve
timestep 0.2
thermo 1
thermo_style custom step temp pe elong press
run 2
"""


def water(data, kspace="pppm/tip4p 1e-4", modify="", pair="lj/cut/tip4p/long 1 2 1 1 0.15 6.0"):
    """216 molecules of water with four sites."""
    return WATER.format(**locals())


def water_data(side=6, spacing=3.1):
    """The molecules as a data file: on a cubic grid, all with the same orientation."""
    sites = [(1, -1.04, 0.0, 0.0, 0.0), (2, 0.52, 0.757, 0.586, 0.0), (2, 0.52, -0.757, 0.586, 0.0)]
    atoms, bonds, angles = [], [], []
    for molecule in range(side**3):
        corner = [spacing * (molecule // side**axis % side) + 0.9 for axis in range(3)]
        first = 3 * molecule + 1
        for number, (kind, charge, *place) in enumerate(sites):
            x, y, z = (c + p for c, p in zip(corner, place))
            atoms.append(f"{first + number} {molecule + 1} {kind} {charge} {x} {y} {z}")
        bonds += [f"{2 * molecule + n} 1 {first} {first + n}" for n in (1, 2)]
        angles.append(f"{molecule + 1} 1 {first + 1} {first} {first + 2}")
    edges = [f"0 {side * spacing} {a}lo {a}hi" for a in "xyz"]
    head = [f"{len(atoms)} atoms", f"{len(bonds)} bonds", f"{len(angles)} angles", "2 atom types", "1 bond types",
            "1 angle types", *edges]
    parts = {"Masses": ["1 15.9994", "2 1.008"], "Atoms # full": atoms, "Bonds": bonds, "Angles": angles}
    return "\n".join(["water", "", *head, *(f"\n{name}\n\n" + "\n".join(lines) for name, lines in parts.items()), ""])


TILED = "comm_style tiled\nbalance 1.0 rcb"
PER_ATOM = ("compute s all stress/atom NULL\ncompute e all pe/atom\ncompute se all reduce sum c_s[1] c_e\n"
            "thermo_style custom step pe elong press c_se[1] c_se[2]")
GROUPS = ("group left type 1\ngroup right type 2\ncompute g left group/group right kspace yes\n"
          "thermo_style custom step pe elong c_g")
CHANGES = ("run 1\nkspace_style pppm 1e-5\nrun 1\nkspace_modify mesh 15 18 20\nrun 1\n"
           "kspace_modify mesh 0 0 0 order 4\nkspace_style pppm 1e-3")
DISP = "mesh/disp 10 12 9 gewald/disp 0.3 force/disp/real 0.01 force/disp/kspace 0.01"
LONG = "lj/long/coul/long long long 6.0"
PRISM = "prism 0 4 0 4 0 4 0.7 0.4 0.2"
SLAB = {"boundary": "p p f", "region": "block 0 4 0 4 -0.4 4.4", "atoms": "block 0 4 0 4 0 3.9"}



def dielectric(text):
    return text.replace("atom_style charge", "atom_style dielectric")


def electrodes():
    """Salt between two walls that are electrodes, whose charges are solved on the mesh."""
    walls = """
region bottom block INF INF INF INF -1 0.3 units lattice
region top block INF INF INF INF 3.4 5 units lattice
group bottom region bottom
group top region top
group middle subtract all bottom top
unfix move
fix move middle nve
fix electrodes bottom electrode/conp 0.0 1.805 couple top 1.0 symm on"""
    text = salt("pppm/electrode 1e-4", "slab 3.0", walls, boundary="p p f", region="block 0 4 0 4 -0.6 4.6",
                atoms="block 0 4 0 4 0 3.99")
    return text.replace("atom_style charge", "atom_style charge\natom_modify map array")


def lattice_map(cells=4, atoms=8):
    """For fix phonon: the cell of each atom of salt()."""
    lines = [f"{x} {y} {z} {atom} {atoms * ((x * cells + y) * cells + z) + atom + 1}"
             for x in range(cells) for y in range(cells) for z in range(cells) for atom in range(atoms)]
    return "\n".join([f"{cells} {cells} {cells} {atoms}", "cell and atom of each tag", *lines, ""])


# Name -> (required style of k-space or fix, input).
CASES = {
    "pppm": ("pppm", salt()),
    "ad": ("pppm", salt(modify="diff ad")),
    "odd_mesh": ("pppm", salt(modify="mesh 27 25 45 order 4")),
    "few_planes": ("pppm", salt(modify="mesh 32 3 3 order 3")),
    "collective": ("pppm", salt(modify="collective yes")),
    "changes": ("pppm", salt(extra=CHANGES)),
    "balance": ("pppm", salt(extra="fix b all balance 2 1.0 shift xyz 5 1.0", steps=8)),
    "tiled": ("pppm", salt(extra=TILED)),
    "tiled_balance": ("pppm", salt(extra=f"{TILED}\nfix b all balance 2 1.0 rcb", steps=6)),
    "per_atom": ("pppm", salt(extra=PER_ATOM)),
    "per_atom_ad": ("pppm", salt(modify="diff ad", extra=PER_ATOM)),
    "groups": ("pppm", salt(extra=GROUPS)),
    "triclinic": ("pppm", salt(region=PRISM)),
    "triclinic_per_atom": ("pppm", salt(region=PRISM, extra=PER_ATOM)),
    "slab": ("pppm", salt(modify="slab 3.0", **SLAB)),
    "cg": ("pppm/cg", salt("pppm/cg 1e-4")),
    "stagger": ("pppm/stagger", salt("pppm/stagger 1e-4", "diff ad")),
    "disp": ("pppm/disp", salt("pppm/disp 1e-3", DISP, pair=LONG)),
    "disp_ad": ("pppm/disp", salt("pppm/disp 1e-3", f"{DISP} diff ad", pair=LONG)),
    "omp": ("pppm/omp", "package omp 1\n" + salt("pppm/omp 1e-4")),
    "tip4p": ("pppm/tip4p", water("water.data")),
    "dielectric": ("pppm/dielectric", dielectric(salt("pppm/dielectric 1e-4", pair="lj/cut/coul/long/dielectric 6.0"))),
    "disp_dielectric": ("pppm/disp/dielectric",
                        dielectric(salt("pppm/disp/dielectric 1e-3", DISP, pair="lj/long/coul/long/dielectric long long 6.0"))),
    "electrode": ("pppm/electrode", electrodes()),
    "phonon": ("phonon", salt(extra="fix p all phonon 1 2 1 salt.map phonon", steps=6)),
    "tip4p_disp": ("pppm/disp/tip4p", water("water.data", "pppm/disp/tip4p 1e-3", f"kspace_modify {DISP}",
                                            "lj/long/tip4p/long long long 1 2 1 1 0.15 6.0")),
}
