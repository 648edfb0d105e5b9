"""Transcript files to turns: one file per format."""
