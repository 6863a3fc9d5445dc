"""oshtune: finds the fastest algorithm of each collective on this machine, and writes a tuning file."""
