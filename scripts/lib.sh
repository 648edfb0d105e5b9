# What quickstart and test share: a Python, a virtual environment, an install that happens once.
# shellcheck shell=bash
# Plain bash 3.2 (macOS), POSIX tools only. The caller has set -euo pipefail.

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
VENV="$ROOT/.venv"
VENV_PYTHON="$VENV/bin/python"
LOCALMEM="$VENV/bin/localmem"
INSTALL_LOG="$VENV/install.log"
TICKER=""

say() { printf '%s\n' "$*"; }

# fail MESSAGE [HINT...]: what went wrong, how to mend it, exit code 1.
fail() {
    printf '\nError: %s\n' "$1" >&2
    shift
    while [ $# -gt 0 ]; do
        printf '%s\n' "$1" >&2
        shift
    done
    exit 1
}

duration() {
    if [ "$1" -ge 60 ]; then
        printf '%d min %02d s' "$(($1 / 60))" "$(($1 % 60))"
    else
        printf '%d s' "$1"
    fi
}

stop_ticker() {
    if [ -n "$TICKER" ]; then
        kill "$TICKER" 2>/dev/null || true
        wait "$TICKER" 2>/dev/null || true
        TICKER=""
    fi
}

on_interrupt() {
    stop_ticker
    printf '\nStopped. Run the same command again: finished steps are kept.\n' >&2
    exit 130
}

trap stop_ticker EXIT
trap on_interrupt INT TERM

# What an installer calls the things that we need: apt, dnf, brew, or empty.
package_tool() {
    local tool
    if [ "$(uname -s)" = Darwin ]; then
        printf brew
        return
    fi
    for tool in apt dnf; do
        if command -v "$tool" >/dev/null 2>&1; then
            printf '%s' "$tool"
            return
        fi
    done
}

# how_to_get python|venv|compiler [VERSION]: the command that brings it on this system.
how_to_get() {
    case "$(package_tool):$1" in
        apt:python) say "  sudo apt install python3 python3-venv    (needs 3.11; on Ubuntu 22.04: python3.11 python3.11-venv)" ;;
        dnf:python) say "  sudo dnf install python3    (needs 3.11; or: sudo dnf install python3.11)" ;;
        brew:python) say "  brew install python@3.12" ;;
        apt:venv) say "  sudo apt install python$2-venv" ;;
        dnf:venv) say "  sudo dnf install python3-libs python3-pip" ;;
        brew:venv) say "  brew reinstall python@$2" ;;
        apt:compiler) say "  sudo apt install build-essential" ;;
        dnf:compiler) say "  sudo dnf install gcc gcc-c++ make" ;;
        brew:compiler) say "  xcode-select --install" ;;
        *:python) say "  install Python 3.11 or newer with your system's package manager" ;;
        *:venv) say "  install the venv module of Python $2 with your system's package manager" ;;
        *:compiler) say "  install a C and a C++ compiler with your system's package manager" ;;
    esac
}

# Whether "$1" is a Python that we can use. Running it matters: a shim on PATH may stand for nothing.
is_good_python() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

# Prints the Python to use; $PYTHON, when set, is the only candidate.
find_python() {
    local candidate
    if [ -n "${PYTHON:-}" ]; then
        is_good_python "$PYTHON" && printf '%s' "$PYTHON"
        return
    fi
    for candidate in python3.13 python3.12 python3.11 python3 python; do
        if is_good_python "$candidate"; then
            printf '%s' "$candidate"
            return
        fi
    done
}

# Whether the tool "$1" really compiles; on macOS it may be a stub that only offers a download.
compiles() {
    local out status=0
    if [ "$(uname -s)" = Darwin ] && ! xcode-select -p >/dev/null 2>&1; then
        return 1
    fi
    out=$(mktemp -d)
    printf 'int main(void) { return 0; }\n' >"$out/try.$2"
    # $1 unquoted: CC and CXX may carry arguments ("ccache g++").
    $1 "$out/try.$2" -o "$out/try" >/dev/null 2>&1 || status=1
    rm -rf "$out"
    return $status
}

venv_works() {
    [ -x "$VENV_PYTHON" ] && is_good_python "$VENV_PYTHON" && "$VENV_PYTHON" -m pip --version >/dev/null 2>&1
}

# Names all that the system lacks at once, each with the command that brings it.
check_system() {
    local python="" version="" missing=""
    if ! venv_works; then
        python=$(find_python || true)
        if [ -z "$python" ]; then
            if [ -n "${PYTHON:-}" ]; then
                fail "PYTHON=$PYTHON is no Python 3.11 or newer." "Unset PYTHON, or let it name another one."
            fi
            missing="Python 3.11 or newer:
$(how_to_get python)"
        else
            version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
            if ! "$python" -c 'import venv, ensurepip' >/dev/null 2>&1; then
                missing="the venv module of Python $version:
$(how_to_get venv "$version")"
            fi
        fi
    fi
    if [ ! -x "$VENV_PYTHON" ] || ! "$VENV_PYTHON" -m pip show -q llama-cpp-python >/dev/null 2>&1; then
        if ! compiles "${CC:-cc}" c || ! compiles "${CXX:-c++}" cpp; then
            missing="${missing:+$missing
}a C and C++ compiler, to build llama.cpp:
$(how_to_get compiler)"
        fi
    fi
    if [ -n "$missing" ]; then
        fail "this system lacks" "$missing" "Then run the same command again. (CMake and the rest come with pip.)"
    fi
    SYSTEM_PYTHON="$python"
}

make_venv() {
    if venv_works; then
        return
    fi
    if [ -e "$VENV" ]; then
        say "  .venv does not run; making it again"
    fi
    "$SYSTEM_PYTHON" -m venv --clear "$VENV" || fail "cannot make $VENV with $SYSTEM_PYTHON"
}

# What an install depends on, as one hash: a change of it, and only that, installs again.
install_stamp() {
    "$VENV_PYTHON" - "$ROOT" <<'PYTHON'
import hashlib, pathlib, sys
root = pathlib.Path(sys.argv[1])
digest = hashlib.sha256(f"{sys.version}\n{root}\n".encode())
for name in ("pyproject.toml", "scripts/constraints.txt"):
    digest.update((root / name).read_bytes())
print(digest.hexdigest())
PYTHON
}

# The last thing that pip said it was doing, in a few words.
install_progress() {
    # One pass over the log; sub-builds print "[12/345] Building ..." (ninja) or "[ 12%] Building ..." (make).
    awk '
        { sub(/^[ \t]+/, "") }
        /^Collecting |^Downloading |^Installing collected packages|^Building wheel for / { doing = $0; part = "" }
        /^Building wheel for llama/ { doing = "building llama.cpp, which takes some minutes" }
        /^\[[0-9]+\/[0-9]+\] / { part = $1 }
        /^\[ *[0-9]+%\] / { part = $0; sub(/%.*/, "%]", part) }
        END { print substr(doing, 1, 70) (part == "" ? "" : " " part) }
    ' "$INSTALL_LOG" 2>/dev/null || true
}

start_ticker() {
    local begun=$SECONDS
    # The sleep must not hold our output open after we are gone.
    (
        while sleep 15 >/dev/null 2>&1 && kill -0 $$ 2>/dev/null; do
            printf '  %s: %s\n' "$(duration $((SECONDS - begun)))" "$(install_progress)"
        done
    ) &
    TICKER=$!
}

likely_mend() {
    if grep -q -i 'No space left on device' "$INSTALL_LOG"; then
        say "The disk is full: free 3 GB and run the same command again."
    elif grep -q -E 'Killed signal|Killed \(program|out of memory|std::bad_alloc' "$INSTALL_LOG"; then
        say "The compiler ran out of memory. Try one file at a time: CMAKE_BUILD_PARALLEL_LEVEL=1 $0"
    elif grep -q -E 'CMake Error|fatal error:|ninja: build stopped|Failed building wheel|c\+\+: error' "$INSTALL_LOG"; then
        say "The build of llama.cpp failed. A newer compiler often helps:"
        how_to_get compiler
    elif grep -q -i -E 'name resolution|NewConnectionError|ConnectionError|timed out|ProxyError|SSLError|No matching distribution' "$INSTALL_LOG"; then
        say "The package index could not be reached, or lacks something. Behind a proxy set HTTPS_PROXY; for a mirror PIP_INDEX_URL."
    elif grep -q -i 'Permission denied' "$INSTALL_LOG"; then
        say "A folder is not writable for you; .venv must belong to the user who runs this."
    else
        say "Run the same command again; if it fails the same way, the log says more."
    fi
}

# quietly_pip ARGS...: pip with its talk in the log, a line of progress every 15 seconds.
quietly_pip() {
    local status=0
    start_ticker
    "$VENV_PYTHON" -m pip --no-input --disable-pip-version-check "$@" >>"$INSTALL_LOG" 2>&1 </dev/null || status=$?
    stop_ticker
    if [ $status -ne 0 ]; then
        tail -n 25 "$INSTALL_LOG" >&2 || true
        fail "the installation failed; above are the last lines of $INSTALL_LOG" "$(likely_mend)"
    fi
}

# install_once base|dev: the package (editable: it runs from this checkout), with the dev tools for dev.
install_once() {
    local stamp
    stamp=$(install_stamp)
    # Whoever has the dev tools has the base too.
    if [ "$(cat "$VENV/installed.dev" 2>/dev/null || true)" = "$stamp" ] \
        || [ "$(cat "$VENV/installed.$1" 2>/dev/null || true)" = "$stamp" ]; then
        if [ -x "$LOCALMEM" ]; then
            say "  nothing has changed since the last install"
            return
        fi
    fi
    : >"$INSTALL_LOG"
    if ! "$VENV_PYTHON" -m pip show -q llama-cpp-python >/dev/null 2>&1; then
        say "  llama.cpp is built for this machine once: 3 to 15 minutes. Log: $INSTALL_LOG"
    fi
    cd "$ROOT" || fail "cannot enter $ROOT"
    quietly_pip install "pip>=25.1"
    if [ "$1" = dev ]; then
        quietly_pip install -v --progress-bar off -c scripts/constraints.txt -e ".[sentence-transformers]" --group dev
    else
        quietly_pip install -v --progress-bar off -c scripts/constraints.txt -e .
    fi
    printf '%s\n' "$stamp" >"$VENV/installed.$1"
}
