#!/bin/sh
# .ci/setup.sh PYTHON VENV core|test: virtual environment, pinned packages, and bubblewrap (for tests also tmux) where
# root may install it.
set -eu
python=$1 venv=$2 kind=$3

say() { printf 'setup: %s\n' "$*" >&2; }

have() { command -v "$1" >/dev/null 2>&1; }

apt_install() {
  [ "$(id -u)" = 0 ] && have apt-get || return 1
  say "installing $1 (apt)"
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$1" >/dev/null 2>&1 && return 0
  apt-get update -qq >/dev/null 2>&1 && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$1" >/dev/null 2>&1
}

have "$python" || { say "no '$python' found; install Python 3.11 or newer, or call make PYTHON=/path/to/python3"; exit 2; }
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
  say "$("$python" --version) is too old; Python 3.11 or newer is needed (make PYTHON=…)"; exit 2; }

if [ "$(uname -s)" = Linux ] && ! have bwrap; then
  apt_install bubblewrap || say "bubblewrap is missing; runs need it ('workbench doctor' says how to get it)"
fi

if [ "$kind" = test ] && ! have tmux; then
  apt_install tmux || say "tmux is missing; its tests will be skipped"
fi

if [ ! -x "$venv/bin/python" ]; then
  say "creating $venv"
  "$python" -m venv "$venv" >/dev/null 2>&1 || {
    rm -rf "$venv"
    apt_install python3-venv && "$python" -m venv "$venv" || {
      rm -rf "$venv"; say "'$python -m venv' fails; install your system's python3-venv package"; exit 2; }; }
fi

case $kind in core) what=. ;; test) what='.[test]' ;; *) say "core or test"; exit 2 ;; esac
say "installing pinned packages ($kind)"
log=$venv/pip.log
{ "$venv/bin/python" -m pip install --progress-bar off -e "$what" 2>&1 && touch "$venv/.pip-done"; } | tee "$log" |
  while read -r word name rest; do
    case $word in
      Collecting|Downloading|Obtaining) shown="$word ${name##*/}" ;;
      Installing|Building) shown="$word $name" ;;
      *) continue ;;
    esac
    if [ -t 2 ]; then printf '\r\033[K  %.70s' "$shown" >&2; fi
  done
if [ -t 2 ]; then printf '\r\033[K' >&2; fi
[ -e "$venv/.pip-done" ] || {
  tail -n 5 "$log" >&2
  say "pip failed (all of it is in $log); check the network or package index and run make again"; exit 2; }
rm -f "$venv/.pip-done"
touch "$venv/.core"
[ "$kind" = core ] || touch "$venv/.test"
