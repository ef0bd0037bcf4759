#!/usr/bin/env bash
# Installs, upgrades, rolls back and removes the table controller on Debian 12 or Raspberry Pi OS. Safe to run again.
#
#   sudo systemd/install.sh install [--venue] [--kiosk] [SOURCE]   SOURCE: a checkout (default: this one) or a wheel
#   sudo systemd/install.sh rollback                               the version before
#   sudo systemd/install.sh uninstall [--purge]                    --purge also removes settings, journals and evidence
#   systemd/install.sh status
#
# Every version has a folder of its own under /opt/table-controller, its units with it; `current` points to the one that
# runs, `previous` to the one before. An upgrade that fails or is ended at any step leaves what ran before, units and all.
# Settings and state are never touched by one. ROOT=/some/tree works on a tree instead of this machine (for images and
# tests): then no service is started, unless SYSTEMCTL names a command in systemctl's place.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=${ROOT:-}
opt=$root/opt/table-controller
etc=$root/etc/table-controller
units=$root/etc/systemd/system
link=$root/usr/local/bin/table-controller
journal=$root/var/lib/table-controller/journal.jsonl
services=(table-controller table-controller-venue table-controller-kiosk)
declare -A chosen=()

say() { echo "install: $*"; }
fail() { echo "install: $1" >&2; exit "${2:-69}"; }
systemctl() { command "${SYSTEMCTL:-systemctl}" "$@"; }
live() { [ -n "${SYSTEMCTL:-}" ] || { [ -z "$root" ] && type -P systemctl >/dev/null && [ -d /run/systemd/system ]; }; }
need_root() { [ -n "$root" ] || [ "$(id -u)" = 0 ] || fail "run it with sudo" 77; }

is_enabled() { live && systemctl is-enabled --quiet "$1" 2>/dev/null; }

point() {  # point NAME at VERSION, in one step
  ln -sfn "versions/$2" "$opt/$1.new"
  mv -T "$opt/$1.new" "$opt/$1"
}

target() { readlink "$opt/$1" 2>/dev/null | sed 's|^versions/||' || true; }

keep_system_files() {  # VERSION: what it puts outside its folder is kept in it, so that a roll-back brings it too
  local kept=$opt/versions/$1/system
  install -d "$kept"
  install -m 644 "$here"/*.service "$here"/70-guandan-dealer.rules "$here"/sysusers.conf "$here"/tmpfiles.conf "$kept/"
}

keep_what_is_there() {  # VERSION: of one that was made before versions kept their units
  local kept=$opt/versions/$1/system name
  [ ! -d "$kept" ] || return 0
  install -d "$kept.new" || return 1
  for name in "$units"/table-controller*.service "$root/usr/lib/udev/rules.d/70-guandan-dealer.rules"; do
    [ ! -e "$name" ] || install -m 644 "$name" "$kept.new/" || return 1
  done
  for name in sysusers tmpfiles; do
    [ ! -e "$root/usr/lib/$name.d/table-controller.conf" ] ||
      install -m 644 "$root/usr/lib/$name.d/table-controller.conf" "$kept.new/$name.conf" || return 1
  done
  mv -T "$kept.new" "$kept"
}

copy_system_files() {  # VERSION: its units in their places
  local from=$opt/versions/$1/system name
  install -d "$units" "$root/usr/lib/udev/rules.d" "$root/usr/lib/sysusers.d" "$root/usr/lib/tmpfiles.d" \
    "$(dirname "$link")" || return 1
  put "$from/table-controller.service" "$units/" || return 1
  for name in venue kiosk; do
    # what was chosen once is brought anew with every version
    if [ -e "$units/table-controller-$name.service" ] || [ "${chosen[$name]:-no}" = yes ]; then
      put "$from/table-controller-$name.service" "$units/" || return 1
    fi
  done
  put "$from/70-guandan-dealer.rules" "$root/usr/lib/udev/rules.d/" || return 1
  put "$from/sysusers.conf" "$root/usr/lib/sysusers.d/table-controller.conf" || return 1
  put "$from/tmpfiles.conf" "$root/usr/lib/tmpfiles.d/table-controller.conf" || return 1
  [ -e "$link" ] || [ -L "$link" ] || ln -s /opt/table-controller/current/bin/table-controller "$link"
}

put() {  # FILE PLACE: whole or not at all
  local to=$2
  [ -e "$1" ] || return 0
  [ "${to%/}" = "$to" ] || to=$to$(basename "$1")
  install -m 644 "$1" "$to.new" && mv -T "$to.new" "$to"
}

write_settings() {
  [ ! -e "$etc/table.toml" ] || return 0
  install -d "$etc"
  install -m 640 "$here/table.toml" "$etc/table.toml"
  say "settings written to $etc/table.toml: table-controller setup asks for them"
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
  local source=$1 python=${PYTHON:-python3} stamp n=1
  "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || fail "Python 3.11 or newer is needed"
  stamp=$(date -u +%Y%m%d-%H%M%S)
  mkdir -p "$opt/versions"
  made=$stamp
  while [ -e "$opt/versions/$made" ]; do made=$stamp.$n; n=$((n + 1)); done
  say "making version $made (a few minutes on a Pi)"
  "$python" -m venv --system-site-packages "$opt/versions/$made" || fail "no folder for Python could be made (df -h)"
  "$opt/versions/$made/bin/python" -m pip install --quiet --disable-pip-version-check --no-input "$source" ||
    fail "the packages could not be installed (network? df -h)"
  keep_system_files "$made" || fail "the units could not be kept (df -h)"
  self_test || fail "the new version does not start"
}

self_test() {  # it starts, and knows the settings that are there; that a camera is missing now is no fault of its own
  local program=$opt/versions/$made/bin/table-controller status=0
  timeout 60 "$program" --version >/dev/null || return 1
  [ -e "$etc/table.toml" ] || return 0
  (cd "$root/var/lib/table-controller" 2>/dev/null || cd /
    timeout 180 "$program" doctor --config "$etc/table.toml" >"$opt/versions/$made/doctor.txt") || status=$?
  [ "$status" -le 1 ] || { cat "$opt/versions/$made/doctor.txt" >&2; return 1; }
}

start_services() {
  live || return 0
  [ -n "$root" ] || { systemd-sysusers && systemd-tmpfiles --create; } || return 1
  systemctl daemon-reload || return 1
  [ -n "$root" ] || udevadm control --reload 2>/dev/null || true
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

keep_journal() {  # what the new version writes into it during its trial, the old one may not be able to read
  live && is_enabled table-controller && [ -e "$journal" ] || return 0
  systemctl stop table-controller || return 1
  cp -p "$journal" "$journal.before-$made"
}

old_journal() {  # only where the old version cannot go on from what the new one left; nothing is deleted
  [ -e "$journal.before-$made" ] || return 0
  if ! well; then
    mv -T "$journal" "$journal.of-$made"
    [ ! -e "${journal%.jsonl}.snapshot" ] || mv -T "${journal%.jsonl}.snapshot" "${journal%.jsonl}.snapshot.of-$made"
    mv -T "$journal.before-$made" "$journal"
    say "the journal is the one of before the upgrade; what $made wrote is in $journal.of-$made" >&2
    start_services
  fi
  rm -f "$journal.before-$made"
}

alone() {  # two installers at once would undo each other's work
  mkdir -p "$opt"
  exec 9>"$opt/.lock"
  flock -n 9 || fail "another installer is at work"
}

finish_earlier() {  # one that was cut off, by a power cut perhaps, before the new version was known to run
  [ -e "$opt/unfinished" ] || return 0
  local before; before=$(cat "$opt/unfinished")
  if [ -d "$opt/versions/$before" ] && [ -n "$before" ]; then
    say "an earlier upgrade was cut off: back to $before"
    copy_system_files "$before" && point current "$before" && start_services || fail "back to $before failed (df -h)"
  fi
  rm -f "$opt/unfinished"
}

undo() {  # what ran before, from wherever an upgrade ended
  local status=$? name
  trap - EXIT
  trap '' HUP INT TERM
  [ "$done" = no ] || exit "$status"
  set +e
  if [ -n "$switched" ]; then
    if [ -n "$before" ]; then
      copy_system_files "$before"
      point current "$before"
      for name in "${fresh[@]}"; do rm -f "$units/$name.service"; done
      if [ -n "$older" ]; then point previous "$older"; else rm -f "$opt/previous"; fi
      start_services
      old_journal
      say "rolled back to $before" >&2
    else
      say "journalctl -u table-controller says why; it is left as it is" >&2
      made=
    fi
  fi
  [ -z "$made" ] || rm -rf "${opt:?}/versions/$made"
  rm -f "$opt/unfinished"
  [ -z "$before" ] || say "what ran before still runs" >&2
  [ "$status" -ne 0 ] || status=69
  exit "$status"
}

do_install() {
  local source=$here/.. word
  for word in "$@"; do
    case $word in
      --venue) chosen[venue]=yes ;;
      --kiosk) chosen[kiosk]=yes ;;
      -*) fail "there is no option $word" 64 ;;
      *) source=$word ;;
    esac
  done
  need_root
  [ -e "$source" ] || fail "$source is not there" 66
  [ ! -f "$source" ] || check_signature "$source"
  alone
  finish_earlier
  before=$(target current) older=$(target previous) made='' switched='' done=no fresh=()
  for word in "${services[@]}"; do [ -e "$units/$word.service" ] || fresh+=("$word"); done
  trap undo EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM
  make_version "$source"
  write_settings
  [ -z "$before" ] || keep_what_is_there "$before" || fail "the units that are there could not be kept (df -h)"
  # a power cut must not leave a name that points to half a version
  sync -f "$opt" 2>/dev/null || sync
  echo "$before" >"$opt/unfinished"
  switched=yes
  copy_system_files "$made" || fail "the units could not be put in their places (df -h)"
  [ -z "$before" ] || point previous "$before"
  point current "$made"
  keep_journal || fail "the journal could not be kept (df -h)"
  start_services && well || fail "version $made does not run"
  rm -f "$opt/unfinished" "$journal.before-$made"
  done=yes
  tidy || say "what ran long before could not be removed"
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
  alone
  if [ -e "$opt/unfinished" ]; then finish_earlier; return; fi
  local now before; now=$(target current) before=$(target previous)
  [ -n "$before" ] && [ -d "$opt/versions/$before" ] || fail "there is no version before this one"
  copy_system_files "$before" || fail "its units could not be put in their places (df -h)"
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
  [ "$(readlink "$link" || true)" != /opt/table-controller/current/bin/table-controller ] || rm -f "$link"
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
  [ ! -e "$opt/unfinished" ] || say "an upgrade was cut off: rollback, or upgrade again"
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
  *) sed -n '2,14p' "$0" | sed 's/^# \{0,1\}//'; exit 64 ;;
esac
