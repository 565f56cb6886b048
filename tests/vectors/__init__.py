"""Test vectors that the samplers in Python and in JavaScript must both reproduce."""
