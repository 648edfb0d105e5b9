"""A server on this machine that plays the hub, a package index and the network's bad days."""

from __future__ import annotations

import hashlib
import io
import json
import threading
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@dataclass
class Resource:
    """What the server has at one path."""

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    ranges: bool = True
    drops: list[int] = field(default_factory=list)
    """Bytes after which the next GETs break off, one entry each."""
    hold: int | None = None
    """Bytes after which the GET stands still until the server closes."""


@dataclass(frozen=True)
class Request:
    """What a client asked."""

    method: str
    path: str
    range: str | None
    authorization: str | None


class LocalServer:
    """Serves `resources` by path and keeps what was asked in `requests`."""

    def __init__(self) -> None:
        self.resources: dict[str, Resource] = {}
        self.requests: list[Request] = []
        self.released = threading.Event()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_HEAD(self) -> None:
                outer._answer(self, body=False)

            def do_GET(self) -> None:
                outer._answer(self, body=True)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._server.block_on_close = False
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def other_host(self) -> str:
        """The same server under another name."""
        return f"http://localhost:{self._server.server_port}"

    def close(self) -> None:
        self.released.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def asked(self, method: str, ending: str) -> list[Request]:
        return [r for r in self.requests if r.method == method and r.path.endswith(ending)]

    def _answer(self, handler: BaseHTTPRequestHandler, *, body: bool) -> None:
        asked = handler.headers.get("Range")
        self.requests.append(
            Request(handler.command, handler.path, asked, handler.headers.get("Authorization"))
        )
        resource = self.resources.get(handler.path, Resource(status=404))
        content, status, headers = resource.body, resource.status, dict(resource.headers)
        if asked and resource.ranges and status == 200:
            start = int(asked.removeprefix("bytes=").removesuffix("-"))
            if start >= len(content):
                content, status = b"", 416
            else:
                headers["Content-Range"] = f"bytes {start}-{len(content) - 1}/{len(content)}"
                content, status = content[start:], 206
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(content)))
        handler.end_headers()
        if not body:
            return
        if resource.drops:
            handler.wfile.write(content[: resource.drops.pop(0)])
            handler.close_connection = True
        elif resource.hold is not None:
            handler.wfile.write(content[: resource.hold])
            handler.wfile.flush()
            self.released.wait()
            handler.close_connection = True
        else:
            handler.wfile.write(content)

    def add_wheel(
        self,
        package: str,
        members: Mapping[str, bytes],
        *,
        version: str = "1.0",
        html: bool = False,
        digest: str | None = None,
    ) -> Resource:
        """Put a wheel on the index at /simple/; its own digest unless another is given."""
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in members.items():
                archive.writestr(name, content)
        name = f"{package.replace('-', '_')}-{version}-py3-none-any.whl"
        wheel = self.resources[f"/files/{name}"] = Resource(packed.getvalue())
        sha256 = digest or hashlib.sha256(wheel.body).hexdigest()
        if html:
            page = f'<html><body><a href="/files/{name}">{name}</a></body></html>'.encode()
            kind = "text/html"
        else:
            listed = {
                "filename": name,
                "url": f"../../files/{name}",
                "hashes": {"sha256": sha256},
                "size": len(wheel.body),
            }
            page = json.dumps(
                {"meta": {"api-version": "1.1"}, "name": package, "versions": [version], "files": [listed]}
            ).encode()
            kind = "application/vnd.pypi.simple.v1+json"
        self.resources[f"/simple/{package}/"] = Resource(page, headers={"Content-Type": kind})
        return wheel

    def add_hub_file(
        self,
        repository: str,
        name: str,
        body: bytes,
        *,
        revision: str = "main",
        sha256: str | None = None,
        redirect: bool = False,
    ) -> Resource:
        """Put a large file on the hub; returns the resource that gives its bytes."""
        sha256 = sha256 or hashlib.sha256(body).hexdigest()
        headers = {
            "X-Repo-Commit": COMMIT,
            "ETag": '"0123"',
            "X-Linked-Etag": f'"{sha256}"',
            "X-Linked-Size": str(len(body)),
        }
        path = f"/{repository}/resolve/{revision}/{name}"
        if not redirect:
            self.resources[path] = Resource(body, headers=headers)
            return self.resources[path]
        stored = self.resources[f"/storage/{name}"] = Resource(body)
        headers["Location"] = f"{self.other_host}/storage/{name}"
        self.resources[path] = Resource(status=302, headers=headers)
        return stored
