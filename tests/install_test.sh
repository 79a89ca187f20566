#!/bin/bash
# What `cmake --install` puts in place: one small file that needs only libraries every system of
# its age has. Usage: install_test.sh BUILD_DIRECTORY
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cmake --install "$1" --prefix "$place" >/dev/null
binary=$place/bin/agentd
size=$(stat -c %s "$binary")
echo "size: $size bytes"
(( size <= 4000000 )) || { echo "over 4 MB" >&2; exit 1; }
needed=$(objdump -p "$binary" | awk '/NEEDED/ { print $2 }')
echo "needs: ${needed//$'\n'/ }"
for library in $needed; do
  case $library in
    libc.so.6 | libm.so.6 | ld-linux-*) ;;
    *) echo "$library must not be needed" >&2; exit 1 ;;
  esac
done
if readelf -S "$binary" | grep -q '\.symtab'; then
  echo "not stripped" >&2
  exit 1
fi
"$binary" --version
