"""How many threads, and how much memory this machine has."""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path


def physical_cores() -> int:
    """Cores that this process may use, a core with two hardware threads counted once.

    On Apple silicon only the performance cores: the others slow a matrix product down, since it waits for
    the slowest thread.
    """
    if sys.platform == "darwin":
        return _sysctl("hw.perflevel0.physicalcpu") or _sysctl("hw.physicalcpu") or os.cpu_count() or 1
    usable = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set(range(os.cpu_count() or 1))
    siblings = set()
    for cpu in usable:
        try:
            path = Path(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list")
            siblings.add(path.read_text(encoding="ascii").strip())
        except OSError:
            siblings.add(str(cpu))
    return max(min(len(siblings), _container_cores(len(siblings))), 1)


def memory_bytes() -> int | None:
    """Memory that this process can have at all: the machine's, or its container's; None if unknown."""
    try:
        total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError, AttributeError):
        return None
    try:
        limit = Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii").strip()
    except OSError:
        return total
    return min(total, int(limit)) if limit.isdigit() else total


def _container_cores(otherwise: int) -> int:
    """Whole cores that the container's time quota is worth (cgroup v2: "QUOTA PERIOD" in microseconds)."""
    try:
        quota, period = Path("/sys/fs/cgroup/cpu.max").read_text(encoding="ascii").split()
    except (OSError, ValueError):
        return otherwise
    return int(quota) // int(period) if quota.isdigit() else otherwise


def _sysctl(name: str) -> int:
    value = ctypes.c_int(0)
    size = ctypes.c_size_t(ctypes.sizeof(value))
    failed = ctypes.CDLL(None).sysctlbyname(name.encode(), ctypes.byref(value), ctypes.byref(size), None, 0)
    return 0 if failed else value.value
