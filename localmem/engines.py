"""The engines of a memory, each made at first use: an embedder and a model of language."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from localmem import embed, llm, models
from localmem.embed.protocol import Embedder
from localmem.llm.protocol import LanguageModel
from localmem.models import Backend, Kind
from localmem.settings import Settings
from localmem.settings import settings as environment_settings

if TYPE_CHECKING:
    from localmem.embed.pool import EmbedderPool


def load_model(spec: str, settings: Settings) -> LanguageModel:
    """Load a model of language.

    Args:
        spec: as for `Memory.open`.
        settings: threads, batch and the like.

    Raises:
        UnknownModelError, ModelMissingError: it is not on this machine.
        EngineError: it cannot be loaded.
    """
    local = models.locate(spec, kind=Kind.LANGUAGE)
    return llm.load(local.path, id=local.id, digest=local.digest or None, settings=settings)


def embedder_loader(settings: Settings) -> Callable[[int | None], Embedder]:
    """What loads the embedder of the settings for so many threads, also in another process.

    Raises:
        ModelMissingError: it was not pulled yet.
    """
    backend = settings.embedder_backend
    folder = Path(settings.embedder).expanduser()
    if settings.embedder not in models.catalogue().by_id and folder.is_dir():
        return partial(embed.load_with, str(folder), folder, backend)
    needed = None if backend == "sentence-transformers" else Backend.ONNX
    local = models.locate(settings.embedder, backend=needed, kind=Kind.EMBEDDER)
    return partial(embed.load_with, local.id, local.folder, backend)


class Engines:
    """The two engines of a memory. Nothing is loaded before it is used.

    Args:
        embedder: makes the embedder.
        model: makes the model of language.
    """

    def __init__(self, *, embedder: Callable[[], Embedder], model: Callable[[], LanguageModel]) -> None:
        self._make_embedder = embedder
        self._make_model = model
        self._settings: Settings | None = None  # what they were chosen by, where they were not given

    @cached_property
    def embedder(self) -> Embedder:
        """The embedder; loaded at first use.

        Raises:
            ModelMissingError: it was not pulled yet.
        """
        return self._make_embedder()

    @cached_property
    def model(self) -> LanguageModel:
        """The model of language; loaded at first use.

        Raises:
            ModelMissingError: it was not pulled yet.
        """
        return self._make_model()

    def change_model(self, model: str) -> None:
        """Use another model of language from now on: the present one is closed, the other is loaded at first use.

        Args:
            model: as for `Memory.open`.

        Raises:
            UnknownModelError, ModelMissingError: it is not on this machine; the present one stays.
        """
        settings = self._settings or environment_settings()
        models.locate(model, kind=Kind.LANGUAGE)
        self._close_model()
        self._make_model = lambda: load_model(model, settings)

    def _close_model(self) -> None:
        made = self.__dict__.pop("model", None)
        if made is not None and hasattr(made, "close"):
            made.close()

    def _pool(self, jobs: int) -> EmbedderPool | None:
        """The embedder in other processes; None if it was given to the constructor, and stays in this one."""
        from localmem.embed.pool import EmbedderPool

        if self._settings is None:
            return None
        return EmbedderPool(embedder_loader(self._settings), jobs, threads=self._settings.threads)
