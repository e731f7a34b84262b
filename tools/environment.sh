#!/bin/sh
# Make .venv hold Recollect with the extras named in $1 ("demo", or "demo,dev" for all).
#
# The versions are those of requirements.lock. A stamp, written last, says what .venv holds;
# while it is current this script does nothing. PYTHON=... chooses the interpreter.
set -eu
cd "$(dirname "$0")/.."

extras=$1
everything="demo,dev"
venv_python=.venv/bin/python
stamp=.venv/ready
key=$({ pwd; cat requirements.lock pyproject.toml tools/environment.sh; } | cksum | tr ' ' -)
pythons="${PYTHON:-python3 python3.13 python3.12 python3.11 python3.14 python3.15 python}"

give_up() {
    echo "recollect: $1" >&2
    exit 1
}

is_ready() {
    [ -f "$stamp" ] && "$venv_python" -c '' 2>/dev/null || return 1
    read -r key_held extras_held <"$stamp"
    [ "$key_held" = "$key" ] || return 1
    [ "$extras_held" = "$extras" ] || [ "$extras_held" = "$everything" ]
}

is_new_enough() {
    "$1" -c 'import sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
}

why_not() {
    if ! command -v "$1" >/dev/null 2>&1; then
        echo "was not found"
    elif ! "$1" -c 'import sys' 2>/dev/null; then
        echo "is no Python that runs"
    elif "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
        echo "has no venv module"
    else
        echo "is too old"
    fi
}

make_venv() {
    for python in $pythons; do
        if is_new_enough "$python"; then
            # Some systems ship Python without ensurepip: then .venv is made without a pip.
            "$python" -m venv --clear .venv >/dev/null 2>&1 ||
                "$python" -m venv --clear --without-pip .venv ||
                give_up "$python cannot make .venv: install its venv module (apt install python3-venv)"
            return
        fi
    done
    [ -z "${PYTHON:-}" ] || give_up "PYTHON=$PYTHON $(why_not "$PYTHON"): name a Python 3.11 or newer"
    give_up "install Python 3.11 or newer (apt install python3 python3-venv, brew install python)"
}

find_pip() {
    if "$venv_python" -m pip --version >/dev/null 2>&1; then
        pip="$venv_python -m pip"
        return
    fi
    for command in "python3 -m pip" pip3 pip "python3.13 -m pip" "python3.12 -m pip" "python3.11 -m pip"; do
        pip="$command --python $venv_python"
        if $pip list >/dev/null 2>&1; then
            return
        fi
    done
    rm -rf .venv # made again once its Python can bring a pip
    give_up "install pip 22.3 or newer (apt install python3-pip, or python3-venv)"
}

install() {
    $pip install --quiet --quiet --no-compile --no-input --disable-pip-version-check \
        --constraint requirements.lock "$@" ||
        give_up "the installation above failed; mend its cause and run make again"
}

# One installation at a time: the lock is a link that names the process holding it.
until is_ready; do
    if ln -s "$$" .venv.lock 2>/dev/null; then
        trap 'rm -f .venv.lock' EXIT
        trap 'exit 130' INT TERM
        break
    fi
    holder=$(readlink .venv.lock || true)
    if [ -n "$holder" ] && ! kill -0 "$holder" 2>/dev/null; then
        rm -f .venv.lock
    else
        sleep 1
    fi
done

if ! is_ready; then
    echo "Installing Recollect [$extras] into .venv ..."
    rm -f "$stamp"
    is_new_enough "$venv_python" || make_venv
    find_pip
    install flit-core # builds Recollect itself, at the version the lock names
    install --no-build-isolation --editable ".[$extras]"
    echo "$key $extras" >"$stamp"
fi
