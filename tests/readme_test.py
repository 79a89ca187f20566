#!/usr/bin/env python3
"""Runs what README.md shows. Usage: readme_test.py README.md AGENTD TRANSCRIPTS SCHEMA_DIRECTORY

`sh` blocks run one after the other in one new directory, agentd first in PATH; a `text` block right
after one is the output it must have. `rpc` blocks are one transcript, played by TRANSCRIPTS in a
workspace with a README.md. A block after `<!-- not run ... -->` is not run.
"""
import os
import re
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"(<!-- not run[^>]*-->\n)?^```(sh|rpc)\n(.*?)^```\n(?:^```text\n(.*?)^```\n)?",
                   re.MULTILINE | re.DOTALL)
RPC_HEADER = "# The run of README.md\nframing: lines\nfile README.md:\n  A small library.\n"


def clean_environment(agentd, home):
    return {"PATH": os.path.dirname(agentd) + ":" + os.environ["PATH"], "HOME": home,
            "LANG": "C.UTF-8"} | {k: v for k, v in os.environ.items() if k.endswith("SAN_OPTIONS")}


def run_shell(block, expected, directory, environment):
    done = subprocess.run(["bash", "-euc", block], cwd=directory, timeout=300,
                          env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        return f"exit code {done.returncode}: {done.stderr}"
    if expected is not None and done.stdout != expected:
        return f"printed:\n{done.stdout}README.md shows:\n{expected}"
    return None


def play(block, transcripts, agentd, schema, directory):
    path = os.path.join(directory, "README.rpc")
    with open(path, "w", encoding="utf-8") as file:
        file.write(RPC_HEADER + block)
    done = subprocess.run([transcripts, agentd, schema, path], timeout=300, capture_output=True,
                          text=True)
    return None if done.returncode == 0 else done.stdout + done.stderr


def main():
    readme, agentd, transcripts, schema = map(os.path.abspath, sys.argv[1:])
    with open(readme, encoding="utf-8") as file:
        blocks = BLOCK.findall(file.read())
    shell = [(code, text or None) for skip, kind, code, text in blocks if kind == "sh" and not skip]
    rpc = "".join(code for skip, kind, code, _ in blocks if kind == "rpc" and not skip)
    if len(shell) < 2 or not rpc:
        sys.exit("README.md: fewer blocks to run than it had; is their form changed?")
    faults = []
    with tempfile.TemporaryDirectory() as place:
        home, directory = os.path.join(place, "home"), os.path.join(place, "project")
        os.mkdir(home)
        os.mkdir(directory)
        environment = clean_environment(agentd, home)
        for code, expected in shell:
            faults.append((code, run_shell(code, expected, directory, environment)))
        faults.append((rpc, play(rpc, transcripts, agentd, schema, place)))
    for code, fault in faults:
        print(f"--- {'FAILED' if fault else 'ok'}\n{code}{fault or ''}")
    sys.exit(1 if any(fault for _, fault in faults) else 0)


main()
