"""Examples of property tests may take as long as a busy machine needs."""

from __future__ import annotations

import hypothesis

hypothesis.settings.register_profile("patient", deadline=None)
hypothesis.settings.load_profile("patient")
