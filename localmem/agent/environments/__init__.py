"""Worlds to act in: what they have in common is `Environment`."""

from __future__ import annotations

from localmem.agent.environments.protocol import Deciding, Decision, Environment, Outcome, Route

__all__ = ["Deciding", "Decision", "Environment", "Outcome", "Route"]
