"""Models: which there are, where they are on this machine, and bringing them here.

Only `pull` opens a connection, and only `pull` imports a network client.
"""

from localmem.models.download import pull
from localmem.models.entries import Backend, Catalogue, FileEntry, Kind, ModelEntry, Source, catalogue
from localmem.models.local import (
    FileCheck,
    FileStatus,
    LocalModel,
    locate,
    pulled_from_hub,
    remove,
    require_removable,
    verify,
)
from localmem.models.progress import Progress, Silent
from localmem.models.refs import ModelRef, resolve

__all__ = [
    "Backend",
    "Catalogue",
    "FileCheck",
    "FileEntry",
    "FileStatus",
    "Kind",
    "LocalModel",
    "ModelEntry",
    "ModelRef",
    "Progress",
    "Silent",
    "Source",
    "catalogue",
    "locate",
    "pull",
    "pulled_from_hub",
    "remove",
    "require_removable",
    "resolve",
    "verify",
]
