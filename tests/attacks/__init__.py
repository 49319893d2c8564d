"""Attacks: hostile texts, endless work, interrupts anywhere, threads; the tests here keep their findings fixed."""
