"""The machine: its properties, other load, and where PEs run."""
