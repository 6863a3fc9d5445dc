"""oshtune: finds out which algorithm of a collective is the fastest on this machine, and writes it down."""
