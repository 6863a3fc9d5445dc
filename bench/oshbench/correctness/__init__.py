"""Proofs that the cases and the mini-apps notice a faulty library, and litmus tests of memory order."""
