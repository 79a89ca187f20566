#!/usr/bin/env python3
"""A whole agentd client: one run, its questions put to a person. Python 3, standard library only.

client.py AGENTD PROMPT [--yes]      works in the current directory; --yes allows every question
"""
import json, subprocess, sys

agentd = subprocess.Popen([sys.argv[1]], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

def send(method, params, **id):
    message = {"jsonrpc": "2.0", "method": method, "params": params, **id}
    body = json.dumps(message).encode()
    agentd.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    agentd.stdin.flush()

def receive():
    length = 0
    while (line := agentd.stdout.readline().strip()):
        name, value = line.split(b":")
        if name.lower() == b"content-length":
            length = int(value)
    return json.loads(agentd.stdout.read(length)) if length else sys.exit("agentd is gone")

block = None  # of the reply: another one is another paragraph
send("initialize", {"protocolVersion": 1, "clientInfo": {"name": "client.py", "version": "1"}}, id=1)
while (message := receive()).get("id") != 99:
    method, params = message.get("method"), message.get("params", {})
    if "error" in message:
        sys.exit(message["error"]["message"])
    elif message.get("id") == 1:
        send("initialized", {})
        send("agent/start", {"prompt": sys.argv[2], "runId": "r1"}, id=2)
    elif method == "agent/textDelta":
        gap = "" if block in (None, params["blockId"]) else "\n\n"
        block = params["blockId"]
        print(gap + params["text"], end="", flush=True)
    elif method == "agent/replyDiscarded":
        print("\n[that was taken back: another reply follows]")
        block = None
    elif method == "agent/approvalRequested":
        print("\n" + params.get("preview", json.dumps(params["input"])), file=sys.stderr)
        yes = "--yes" in sys.argv or input(f"{params['name']}? [y/N] ").lower() == "y"
        send("agent/approveTool", {"runId": "r1", "toolUseId": params["toolUseId"],
                                   "decision": "allow" if yes else "deny"}, id=3)
    elif method == "agent/toolResult":
        print(f"\n[{params['name']} {params['status']}]", file=sys.stderr)
    elif method == "agent/runEnded":
        outcome = params["outcome"]
        print("\n[%s]" % params["ending"], file=sys.stderr)
        send("shutdown", {}, id=99)
send("exit", {})
sys.exit(0 if outcome == "success" else 1)
