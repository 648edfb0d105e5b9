"""What a pull takes from the environment, and network errors in words."""

from __future__ import annotations

import pytest
import requests

from localmem.errors import DownloadError
from localmem.models import Silent, http
from localmem.models.http import certificates, failure, host, open_session
from localmem.models.wheels import _pip_configuration
from tests.models.server import LocalServer, Resource

CA_VARIABLES = ("REQUESTS_CA_BUNDLE", "SSL_CERT_FILE", "CURL_CA_BUNDLE", "PIP_CERT")


@pytest.fixture(autouse=True)
def no_certificates(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in CA_VARIABLES:
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("name", CA_VARIABLES)
def test_a_ca_file_in_any_usual_variable_is_used(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "/ca.pem")
    assert certificates() == "/ca.pem"
    with open_session("/pip.pem") as session:
        settings = session.merge_environment_settings("https://index.test", {}, None, None, None)
    assert settings["verify"] == "/ca.pem"


def test_the_ca_file_of_pip_is_used_when_the_environment_names_none() -> None:
    with open_session("/pip.pem") as session:
        assert session.verify == "/pip.pem"


def test_certificates_are_checked_when_nobody_names_a_ca_file() -> None:
    with open_session() as session:
        assert session.verify is True


def test_a_proxy_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.test:3128")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    with open_session() as session:
        settings = session.merge_environment_settings("https://index.test", {}, None, None, None)
    assert settings["proxies"]["https"] == "http://proxy.test:3128"


def test_the_configuration_of_pip_is_read(monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    file = tmp_path / "pip.conf"
    file.write_text("[global]\nindex-url = https://index.test/simple\ncert = /ca file.pem\n")
    monkeypatch.setenv("PIP_CONFIG_FILE", str(file))
    found = _pip_configuration()
    assert found["global.index-url"] == "https://index.test/simple"
    assert found["global.cert"] == "/ca file.pem"


def test_a_host_is_told_without_its_password() -> None:
    assert host("https://me:secret@index.test:8443/simple/") == "index.test:8443"


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (requests.exceptions.SSLError(), "the certificate of a.test is not trusted"),
        (requests.exceptions.ProxyError(), "the proxy did not connect to a.test"),
        (requests.exceptions.ConnectTimeout(), "a.test did not answer in time"),
        (requests.exceptions.ReadTimeout(), "a.test did not answer in time"),
        (requests.exceptions.ConnectionError(), "there is no connection to a.test"),
        (requests.exceptions.ChunkedEncodingError(), "a.test broke off in the middle"),
        (requests.exceptions.TooManyRedirects(), "a.test: TooManyRedirects"),
    ],
)
def test_a_network_error_is_told_in_words(error: Exception, words: str) -> None:
    found = failure(error, "https://a.test/x")
    assert str(found) == words
    assert found.hint


def test_a_part_that_is_whole_though_nobody_knew_is_fetched_once_more(server: LocalServer, tmp_path) -> None:
    part = tmp_path / "x.part"
    part.write_bytes(b"0123456789")
    server.resources["/x"] = Resource(b"0123456789")
    with open_session() as session:
        http.download_verified(session, f"{server.url}/x", part, sha256=None, size=None, progress=Silent())
    assert part.read_bytes() == b"0123456789"
    assert [r.range for r in server.asked("GET", "/x")] == ["bytes=10-", None]


def test_a_busy_server_is_asked_again(server: LocalServer, tmp_path) -> None:
    server.resources["/x"] = Resource(status=503)
    with open_session() as session, pytest.raises(DownloadError, match=r"\(503\)"):
        http.download_verified(
            session, f"{server.url}/x", tmp_path / "x.part", sha256=None, size=None, progress=Silent()
        )
    assert len(server.asked("GET", "/x")) == 1 + len(http.BACKOFF)


def test_waiting_between_tries_grows() -> None:
    assert list(http.BACKOFF) == sorted(http.BACKOFF)
