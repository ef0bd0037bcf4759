#!/usr/bin/env bash
# Makes a release in build/release: the wheel, its signature, what is in it (SBOM) and its checksums.
#
#   systemd/release.sh KEY      KEY: the Ed25519 private key (openssl genpkey -algorithm ed25519 -out release.pem)
#
# Keep KEY off the machines that install. They have the public one: openssl pkey -in KEY -pubout -out release.pub,
# copied to /etc/table-controller/release.pub; systemd/install.sh then takes only what this key has signed.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
out=${OUT:-$root/build/release}
python=${PYTHON:-$root/.venv/bin/python}
key=${1:-}
fail() { echo "release: $1" >&2; exit "${2:-69}"; }

[ -n "$key" ] || fail "name the private key: systemd/release.sh KEY" 64
openssl pkey -in "$key" -noout -text 2>/dev/null | grep -qi '^ED25519' || fail "$key is not an Ed25519 private key" 66
rm -rf "$out"
mkdir -p "$out"
"$python" -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir "$out" "$root"
wheel=$(ls "$out"/*.whl)
openssl pkeyutl -sign -rawin -inkey "$key" -in "$wheel" -out "$wheel.sig"
"$(dirname "$python")/cyclonedx-py" environment --output-format JSON --output-file "$out/sbom.json" "$("$python" -c 'import sys; print(sys.prefix)')"
cp "$root/systemd/install.sh" "$root"/systemd/*.service "$root"/systemd/*.conf "$root"/systemd/*.rules "$root/systemd/table.toml" "$out/"
cp "$root/CHANGELOG.md" "$out/"
(cd "$out" && find . -type f ! -name SHA256SUMS | LC_ALL=C sort | xargs sha256sum >SHA256SUMS)
echo "release: $out/$(basename "$wheel"), signed; SBOM and checksums beside it"
