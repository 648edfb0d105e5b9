"""Reports of an engine to its maker, which localmem never sends.

Newer onnxruntime packages (1.32.0 does) write an id of the device into the user's cache folder and report what is
loaded to its maker over HTTPS, on Linux and macOS too. Its Privacy.md names the variable that prevents both; it is read
once, when the module is imported. A call of `disable_telemetry_events` comes too late for the first report.
"""

from __future__ import annotations

import os

OPT_OUT = {"ORT_DISABLE_TELEMETRY": "1", "ORT_TELEMETRY_DISABLED": "1"}
"""Variables of the environment; the second one was the name for a while."""


def opt_out() -> None:
    """Keep onnxruntime from reporting, in this process and in those that it starts. To be called before its import."""
    os.environ.update(OPT_OUT)
