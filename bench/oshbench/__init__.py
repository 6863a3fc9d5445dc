"""The driver's parts: which libraries there are, how to build and launch, what the samples say, how to show it."""
