"""Scores and a budget to ids: the facility-location selector."""
