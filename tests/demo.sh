#!/bin/bash
# The main job, end to end, on the embedded model: no key, no network. Usage: demo.sh AGENTD
set -euo pipefail
agentd=$1
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
mkdir "$place/adder" "$place/home"
cd "$place/adder"
export HOME=$place/home
unset XDG_CONFIG_HOME XDG_DATA_HOME
cat >README.md <<'TEXT'
A small library that adds numbers.
It knows no other operation.
TEXT
cp README.md before.md
prompt='Read README.md and put the title "Adder" on top of it'

echo
echo "In an empty folder with this README.md:"
sed 's/^/    /' README.md
echo "this was run:"
echo "    agentd run --model demo --permission-mode acceptEdits '$prompt'"
echo
"$agentd" run --model demo --permission-mode acceptEdits "$prompt"
echo
echo "and README.md changed:"
diff -U 3 --label README.md --label README.md before.md README.md | sed 's/^/    /' || true
[[ "$(head -n 1 README.md)" == "# Adder" ]] || { echo "demo: README.md has no title" >&2; exit 1; }
