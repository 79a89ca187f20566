#!/bin/bash
# Runs one of the clients of protocol/examples/ through a whole run, approval included, on the demo
# model. Usage: run.sh AGENTD python|lua|typescript. Status 77: its interpreter is not installed.
set -euo pipefail
agentd=$1
client=$2
here=$(cd "$(dirname "$0")" && pwd)
examples=$here/../../protocol/examples
prompt="Put a title on top of README.md"

skip() {
  echo "SKIPPED: $1 is not installed" >&2
  exit 77
}

place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
mkdir "$place/home" "$place/project"
cd "$place/project"
printf 'A small library.\n' >README.md
clean=(env -u ANTHROPIC_API_KEY -u XDG_CONFIG_HOME -u XDG_DATA_HOME
       HOME="$place/home" timeout 120)

case $client in
  python)
    command -v python3 >/dev/null || skip python3
    "${clean[@]}" python3 "$examples/client.py" "$agentd" "$prompt" --yes >"$place/text" </dev/null
    ;;
  lua)
    command -v nvim >/dev/null || skip nvim
    AGENTD=$agentd PROMPT=$prompt OUT=$place/text CLIENT=$examples/client.lua \
      "${clean[@]}" nvim --headless -u NONE -i NONE -n -S "$here/neovim.lua" </dev/null
    ;;
  typescript)
    command -v node >/dev/null || skip node
    if node --experimental-strip-types --version >/dev/null 2>&1; then
      "${clean[@]}" node --experimental-strip-types "$examples/client.ts" "$agentd" "$prompt" --yes \
        >"$place/text" </dev/null
    else
      command -v esbuild >/dev/null || skip "node 22.6 or esbuild"
      esbuild --log-level=warning "$examples/client.ts" --outfile="$place/client.mjs"
      "${clean[@]}" node "$place/client.mjs" "$agentd" "$prompt" --yes >"$place/text" </dev/null
    fi
    ;;
esac

grep -q '^# ' README.md || { echo "README.md has no title:" >&2; cat README.md >&2; exit 1; }
grep -q 'A small library.' README.md || { echo "README.md lost its text" >&2; exit 1; }
grep -q '[a-z]' "$place/text" || { echo "the client showed no text" >&2; exit 1; }
