// A whole agentd client for Node 18 or later: one run, its questions put to a person.
//
//   node client.ts AGENTD PROMPT [--yes]     (Node 22.6: --experimental-strip-types; before that
//                                             esbuild client.ts | node --input-type=module - ...)
import { spawn } from "node:child_process";
import { createInterface } from "node:readline/promises";

type Message = { id?: number; method?: string; params?: any; result?: any; error?: { message: string } };

const [binary, prompt, yes] = process.argv.slice(2);
const agentd = spawn(binary, [], { stdio: ["pipe", "pipe", "inherit"] });

function send(method: string, params: object, id?: number): void {
  const body = JSON.stringify({ jsonrpc: "2.0", id, method, params });
  agentd.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}

async function* messages(): AsyncGenerator<Message> {
  let buffer = Buffer.alloc(0);
  for await (const chunk of agentd.stdout) {
    buffer = Buffer.concat([buffer, chunk]);
    for (let head; (head = buffer.indexOf("\r\n\r\n")) >= 0; ) {
      const end = head + 4 + Number(/content-length: *(\d+)/i.exec(buffer.toString("latin1", 0, head))?.[1]);
      if (buffer.length < end) break;
      yield JSON.parse(buffer.toString("utf8", head + 4, end));
      buffer = buffer.subarray(end);
    }
  }
}

async function allowed(question: string): Promise<boolean> {
  if (yes === "--yes") return true;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question(question);
  terminal.close();
  return answer.toLowerCase() === "y";
}

let block: string | undefined; // of the reply: another one is another paragraph
send("initialize", { protocolVersion: 1, clientInfo: { name: "client.ts", version: "1" } }, 1);
for await (const { id, method, params, error } of messages()) {
  if (error) throw new Error(error.message);
  if (id === 1) {
    send("initialized", {});
    send("agent/start", { prompt, runId: "r1" }, 2);
  } else if (method === "agent/textDelta") {
    process.stdout.write((block && block !== params.blockId ? "\n\n" : "") + params.text);
    block = params.blockId;
  } else if (method === "agent/replyDiscarded") {
    console.log("\n[that was taken back: another reply follows]");
    block = undefined;
  } else if (method === "agent/approvalRequested") {
    console.error("\n" + (params.preview ?? JSON.stringify(params.input)));
    const decision = (await allowed(`${params.name}? [y/N] `)) ? "allow" : "deny";
    send("agent/approveTool", { runId: "r1", toolUseId: params.toolUseId, decision }, 3);
  } else if (method === "agent/toolResult") {
    console.error(`\n[${params.name} ${params.status}]`);
  } else if (method === "agent/runEnded") {
    console.error(`\n[${params.ending}]`);
    process.exitCode = params.outcome === "success" ? 0 : 1;
    send("shutdown", {}, 99);
  } else if (id === 99) {
    send("exit", {});
  }
}
