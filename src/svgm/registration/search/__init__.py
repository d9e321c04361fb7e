"""Registration without a start: all rotations and translations, candidates coarse to fine, and what to believe."""
