"""The experiment of "From MPI to OpenSHMEM: Porting LAMMPS" on this machine, with this LAMMPS."""
