#!/usr/bin/env bash
# debian.sh PACKAGE... installs the Debian packages that are missing, which it
# knows by their commands of the same name, and starts no service of theirs. Where
# it can't, it says what is missing and fails. It does nothing if all are there.
set -euo pipefail

missing=()
for package in "$@"; do
	command -v "$package" > /dev/null || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

sudo=()
[ "$(id -u)" = 0 ] || sudo=(sudo -n)
if ! command -v apt-get > /dev/null || ! "${sudo[@]}" true 2> /dev/null; then
	echo "missing: ${missing[*]}; install them first (on Debian: sudo apt-get install --no-install-recommends ${missing[*]})" >&2
	exit 1
fi

policy=/usr/sbin/policy-rc.d # It forbids dpkg to start services.
if [ ! -e "$policy" ]; then
	trap '"${sudo[@]}" rm -f "$policy"' EXIT
	printf '#!/bin/sh\nexit 101\n' | "${sudo[@]}" tee "$policy" > /dev/null
	"${sudo[@]}" chmod +x "$policy"
fi
echo "apt-get install ${missing[*]}"
log="$(mktemp)"
if ! { "${sudo[@]}" apt-get -qq update &&
	"${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq install --no-install-recommends "${missing[@]}"; } > "$log" 2>&1; then
	cat "$log" >&2
	echo "missing: ${missing[*]}: apt-get did not install them" >&2
	exit 1
fi
rm -f "$log"
