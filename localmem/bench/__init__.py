"""The papers' tables, on this machine: cases in, scores out. Nothing here prints."""
