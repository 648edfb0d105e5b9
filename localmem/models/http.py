"""Downloads that go on where they stopped, and network errors in one plain line.

Nothing here imports a network client until a pull runs.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from localmem.errors import DigestError, DownloadError
from localmem.models.local import sha256_of
from localmem.models.progress import Progress

if TYPE_CHECKING:
    import requests

CHUNK = 1 << 18
BACKOFF = (1.0, 2.0, 4.0, 8.0)
"""Seconds between tries that brought no byte; after the last its source is given up."""
TIMEOUT = (10.0, 60.0)
"""Seconds to connect, and seconds of silence while reading."""
_TRANSIENT = frozenset({408, 425, 429, 500, 502, 503, 504})

CERTIFICATES_HINT = "Behind a proxy with its own certificate, name its CA file in SSL_CERT_FILE."
CONNECTION_HINT = "Check the connection; behind a proxy, set HTTPS_PROXY. What was downloaded is kept."


class SourceFailedError(DownloadError):
    """This source could not give the file; another may."""


def certificates() -> str | None:
    """The CA file that the environment names, in any of the usual variables; None: the client's own."""
    names = ("REQUESTS_CA_BUNDLE", "SSL_CERT_FILE", "CURL_CA_BUNDLE", "PIP_CERT")
    return next((os.environ[name] for name in names if os.environ.get(name)), None)


def open_session(ca_file: str | None = None) -> requests.Session:
    """A session that honours proxies and certificates from the environment; `ca_file` when it names none."""
    import requests

    session = requests.Session()
    session.headers["User-Agent"] = "localmem"
    session.verify = certificates() or ca_file or True
    return session


def host(url: str) -> str:
    """The host of an address, without the password that may stand before it."""
    parts = urlsplit(url)
    return f"{parts.hostname}:{parts.port}" if parts.port else str(parts.hostname)


def failure(error: Exception, url: str) -> SourceFailedError:
    """A network client's exception in one plain line."""
    import requests

    where = host(url)
    response = getattr(error, "response", None)
    if response is not None:
        return refusal(int(response.status_code), where)
    if isinstance(error, requests.exceptions.SSLError):
        return SourceFailedError(f"the certificate of {where} is not trusted", hint=CERTIFICATES_HINT)
    if isinstance(error, requests.exceptions.ProxyError):
        return SourceFailedError(f"the proxy did not connect to {where}", hint="Check HTTPS_PROXY.")
    if isinstance(error, requests.exceptions.Timeout):
        return SourceFailedError(f"{where} did not answer in time", hint=CONNECTION_HINT)
    if isinstance(error, requests.exceptions.ChunkedEncodingError):
        return SourceFailedError(f"{where} broke off in the middle", hint=CONNECTION_HINT)
    if isinstance(error, requests.exceptions.ConnectionError):
        return SourceFailedError(f"there is no connection to {where}", hint=CONNECTION_HINT)
    return SourceFailedError(f"{where}: {type(error).__name__}", hint=CONNECTION_HINT)


def refusal(status: int, where: str) -> SourceFailedError:
    """An HTTP status in one plain line."""
    if status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
        return SourceFailedError(f"{where} refused access ({status})", hint="It asks for a login.")
    if status == HTTPStatus.NOT_FOUND:
        return SourceFailedError(f"{where} does not have the file (404)", hint="Try another source.")
    return SourceFailedError(f"{where} answered with an error ({status})", hint="Try again later.")


def download_verified(
    session: requests.Session,
    url: str,
    part: Path,
    *,
    sha256: str | None,
    size: int | None,
    progress: Progress,
    headers: Mapping[str, str] | None = None,
) -> None:
    """Download `url` into `part`, going on where an earlier try stopped, and check its SHA-256.

    Args:
        session: from `open_session`.
        url: the address; redirects are followed, and only the first host sees `headers` that log in.
        part: the file to fill; it is kept when the transfer fails and removed when its bytes are wrong.
        sha256: as it must be, in hexadecimal; None: not checked.
        size: bytes, where they are known.
        progress: hears of every chunk.
        headers: more request headers.

    Raises:
        SourceFailedError: the server could not give it.
        DigestError: it gave other bytes.
    """
    resumed = part.exists()
    while True:
        _download(session, url, part, size=size, progress=progress, headers=headers or {})
        if sha256 is None or sha256_of(part) == sha256:
            return
        progress.advance(-part.stat().st_size)
        part.unlink()
        if not resumed:
            raise DigestError(
                f"{host(url)} gave other bytes than those expected (SHA-256); they were removed",
                hint="Try another --source, or look for a newer localmem.",
            )
        resumed = False  # the earlier part may have been of another file: once more from the start


def _download(
    session: requests.Session,
    url: str,
    part: Path,
    *,
    size: int | None,
    progress: Progress,
    headers: Mapping[str, str],
) -> None:
    import requests

    failures = 0
    while True:
        have = part.stat().st_size if part.exists() else 0
        if size is not None and have > size:
            part.unlink()
            progress.advance(-have)
            have = 0
        if size is not None and have == size and part.exists():
            return
        try:
            complete = _transfer(session, url, part, have, progress, headers)
        except requests.exceptions.RequestException as error:
            status = getattr(getattr(error, "response", None), "status_code", None)
            if status is not None and status not in _TRANSIENT:
                raise failure(error, url) from error
            if isinstance(error, requests.exceptions.SSLError):
                raise failure(error, url) from error
            reason = failure(error, url)
        else:
            now = part.stat().st_size if part.exists() else 0
            if complete and (size is None or now == size):
                return
            if size is not None and now > size:
                raise SourceFailedError(
                    f"{host(url)} sent {now} bytes instead of {size}", hint="Try another source."
                )
            reason = SourceFailedError(f"{host(url)} broke off in the middle", hint=CONNECTION_HINT)
        grown = part.exists() and part.stat().st_size > have
        failures = 0 if grown else failures + 1
        if failures > len(BACKOFF):
            raise reason
        time.sleep(BACKOFF[max(failures - 1, 0)])


def _transfer(
    session: requests.Session,
    url: str,
    part: Path,
    have: int,
    progress: Progress,
    headers: Mapping[str, str],
) -> bool:
    """One request; True when the server sent all that it meant to send."""
    asked = {**headers, "Accept-Encoding": "identity"}
    if have:
        asked["Range"] = f"bytes={have}-"
    with session.get(url, headers=asked, stream=True, timeout=TIMEOUT) as response:
        if response.status_code == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
            # The part is longer than the file, or is the whole file and nobody said how long that is.
            part.unlink()
            progress.advance(-have)
            return False
        response.raise_for_status()
        goes_on = response.status_code == HTTPStatus.PARTIAL_CONTENT and response.headers.get(
            "Content-Range", ""
        ).startswith(f"bytes {have}-")
        if have and not goes_on:
            progress.advance(-have)
        with part.open("ab" if goes_on else "wb") as file:
            for chunk in response.iter_content(CHUNK):
                file.write(chunk)
                progress.advance(len(chunk))
    return True
