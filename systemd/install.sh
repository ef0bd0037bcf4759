#!/usr/bin/env bash
# Installs, upgrades, rolls back and removes the table controller on Debian 12 or Raspberry Pi OS. Safe to run again.
#
#   sudo systemd/install.sh install [--venue] [--kiosk] [SOURCE]   SOURCE: a checkout (default: this one) or a wheel
#   sudo systemd/install.sh rollback                               the version before
#   sudo systemd/install.sh uninstall [--purge]                    --purge also removes settings, journals and evidence
#   systemd/install.sh status
#
# Every version has a folder of its own under /opt/table-controller; `current` points to the one that runs, `previous`
# to the one before. Settings and state are never touched by an upgrade. ROOT=/some/tree works on a tree instead of
# this machine (for images and tests): then no service is started.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=${ROOT:-}
opt=$root/opt/table-controller
etc=$root/etc/table-controller
units=$root/etc/systemd/system
services=(table-controller table-controller-venue table-controller-kiosk)

say() { echo "install: $*"; }
fail() { echo "install: $1" >&2; exit "${2:-69}"; }
live() { [ -z "$root" ] && command -v systemctl >/dev/null && [ -d /run/systemd/system ]; }
need_root() { [ -n "$root" ] || [ "$(id -u)" = 0 ] || fail "run it with sudo" 77; }

is_enabled() { live && systemctl is-enabled --quiet "$1" 2>/dev/null; }

point() {  # point NAME at VERSION, in one step
  ln -sfn "versions/$2" "$opt/$1.new"
  mv -T "$opt/$1.new" "$opt/$1"
}

target() { readlink "$opt/$1" 2>/dev/null | sed 's|^versions/||' || true; }

copy_system_files() {
  install -d "$units" "$root/usr/lib/udev/rules.d" "$root/usr/lib/sysusers.d" "$root/usr/lib/tmpfiles.d" "$etc"
  install -m 644 "$here/table-controller.service" "$units/"
  # an upgrade also brings anew what was chosen before
  [ ! -e "$units/table-controller-venue.service" ] || venue=yes
  [ ! -e "$units/table-controller-kiosk.service" ] || kiosk=yes
  [ "$venue" = no ] || install -m 644 "$here/table-controller-venue.service" "$units/"
  [ "$kiosk" = no ] || install -m 644 "$here/table-controller-kiosk.service" "$units/"
  install -m 644 "$here"/70-guandan-dealer.rules "$root/usr/lib/udev/rules.d/"
  install -m 644 "$here/sysusers.conf" "$root/usr/lib/sysusers.d/table-controller.conf"
  install -m 644 "$here/tmpfiles.conf" "$root/usr/lib/tmpfiles.d/table-controller.conf"
  if [ ! -e "$etc/table.toml" ]; then
    install -m 640 "$here/table.toml" "$etc/table.toml"
    say "settings written to $etc/table.toml: table-controller setup asks for them"
  fi
}

check_signature() {  # a release is signed: WHEEL.sig beside it, the public key in /etc/table-controller/release.pub
  local wheel=$1 key=$etc/release.pub
  [ -e "$key" ] || { say "no $key: the release's signature is not checked"; return 0; }
  [ -e "$wheel.sig" ] || fail "$wheel.sig is missing: the release is not signed"
  openssl pkeyutl -verify -rawin -pubin -inkey "$key" -in "$wheel" -sigfile "$wheel.sig" >/dev/null 2>&1 ||
    fail "the signature of $wheel is wrong: it was not made by the holder of $key"
  say "the signature of $(basename "$wheel") is right"
}

make_version() {
  local source=$1 python=${PYTHON:-python3} name stamp
  "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || fail "Python 3.11 or newer is needed"
  stamp=$(date -u +%Y%m%d-%H%M%S)
  mkdir -p "$opt/versions"
  name=$stamp; local n=1
  while [ -e "$opt/versions/$name" ]; do name=$stamp.$n; n=$((n + 1)); done
  say "making version $name (a few minutes on a Pi)"
  "$python" -m venv --system-site-packages "$opt/versions/$name"
  if ! "$opt/versions/$name/bin/python" -m pip install --quiet --disable-pip-version-check --no-input "$source"; then
    rm -rf "${opt:?}/versions/$name"
    fail "the packages could not be installed; what ran before still runs"
  fi
  if ! "$opt/versions/$name/bin/table-controller" --version >/dev/null; then
    rm -rf "${opt:?}/versions/$name"
    fail "the new version does not start; what ran before still runs"
  fi
  made=$name
}

start_services() {
  live || return 0
  systemd-sysusers && systemd-tmpfiles --create
  systemctl daemon-reload
  udevadm control --reload 2>/dev/null || true
  local name
  for name in "${services[@]}"; do
    if is_enabled "$name"; then systemctl restart "$name" || return 1; fi
  done
}

well() {  # the table's service is up, and after a while still: one that comes and goes is not well
  live && is_enabled table-controller || return 0
  local _ up=0
  for _ in $(seq 30); do
    sleep 1
    if systemctl is-active --quiet table-controller; then up=$((up + 1)); else up=0; fi
    [ "$up" -lt 8 ] || return 0
  done
  return 1
}

do_install() {
  venue=no kiosk=no
  local source=$here/.. word
  for word in "$@"; do
    case $word in
      --venue) venue=yes ;;
      --kiosk) kiosk=yes ;;
      -*) fail "there is no option $word" 64 ;;
      *) source=$word ;;
    esac
  done
  need_root
  [ -e "$source" ] || fail "$source is not there" 66
  [ ! -f "$source" ] || check_signature "$source"
  local before older; before=$(target current) older=$(target previous)
  make_version "$source"
  copy_system_files
  [ -z "$before" ] || point previous "$before"
  point current "$made"
  if ! start_services || ! well; then
    [ -n "$before" ] || fail "the service does not start: journalctl -u table-controller says why"
    point current "$before"
    if [ -n "$older" ]; then point previous "$older"; else rm -f "$opt/previous"; fi
    start_services || true
    rm -rf "${opt:?}/versions/$made"
    fail "version $made does not run; rolled back to $before"
  fi
  tidy
  say "version $made runs from $opt/current"
  is_enabled table-controller || say "next: table-controller setup, then systemctl enable --now table-controller"
}

tidy() {  # keep the running version and the one before
  local name keep_a keep_b
  keep_a=$(target current) keep_b=$(target previous)
  for name in "$opt"/versions/*; do
    case $(basename "$name") in "$keep_a" | "$keep_b") ;; *) rm -rf "$name" ;; esac
  done
}

do_rollback() {
  need_root
  local now before; now=$(target current) before=$(target previous)
  [ -n "$before" ] && [ -d "$opt/versions/$before" ] || fail "there is no version before this one"
  point current "$before"
  point previous "$now"
  start_services || fail "the services do not start: journalctl -u table-controller says why"
  say "rolled back to $before; run it again to return to $now"
}

do_uninstall() {
  need_root
  local name
  for name in "${services[@]}"; do
    ! live || systemctl disable --now "$name" 2>/dev/null || true
    rm -f "$units/$name.service"
  done
  rm -f "$root/usr/lib/udev/rules.d/70-guandan-dealer.rules" "$root/usr/lib/sysusers.d/table-controller.conf" \
    "$root/usr/lib/tmpfiles.d/table-controller.conf"
  rm -rf "${opt:?}"
  ! live || systemctl daemon-reload
  if [ "${1:-}" = --purge ]; then
    rm -rf "${etc:?}" "$root/var/lib/table-controller" "$root/var/lib/table-controller-venue"
    say "removed, with settings, journals and evidence"
  else
    say "removed; settings in $etc and journals in $root/var/lib/table-controller were kept (--purge removes them)"
  fi
}

do_status() {
  say "runs $(target current || true), before it $(target previous || true)"
  ! live || systemctl --no-pager --lines=0 status "${services[@]}" 2>/dev/null || true
}

command=${1:-}
[ $# -eq 0 ] || shift
case $command in
  install | upgrade) do_install "$@" ;;
  rollback) do_rollback ;;
  uninstall) do_uninstall "$@" ;;
  status) do_status ;;
  *) sed -n '2,13p' "$0" | sed 's/^# \{0,1\}//'; exit 64 ;;
esac
