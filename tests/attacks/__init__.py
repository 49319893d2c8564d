"""Attacks: hostile texts, work without bound, interrupts anywhere, threads; what they found is tested here."""
