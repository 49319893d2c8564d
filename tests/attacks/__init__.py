"""Attacks: hostile texts, work without bound, interrupts anywhere, threads; the tests here hold what they found."""
