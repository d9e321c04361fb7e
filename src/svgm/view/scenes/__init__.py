"""Scenes as plain values: what there is to see, without how it is drawn."""
