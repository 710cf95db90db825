// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertMatch } from "@std/assert";
import { join } from "@std/path";
import { COMMANDS } from "../command_table.ts";
import { runCommandLine } from "../dispatch.ts";
import { readLines } from "../read_text.ts";
import { createMemoryHost } from "../testing/memory_host.ts";
import { PROJECT_ROOT } from "../../testing/corpus.ts";

const SESSION = Deno.readTextFileSync(join(PROJECT_ROOT, "testdata/op_model_pipe/session.jsonl"));

/** What is read of bytes that arrive in these pieces. */
function collect(pieces: readonly Uint8Array[]): (readonly string[])[] {
  const left = [...pieces];
  return [...readLines((buffer) => {
    const piece = left.shift();
    if (piece === undefined) return null;
    buffer.set(piece);
    return piece.length;
  })];
}

Deno.test("serve answers every line of standard input with one line", async () => {
  const host = createMemoryHost({ files: { "-": SESSION } });
  assertEquals(await runCommandLine(["serve", "--stats"], host, "0.0.0", COMMANDS), 0);
  const replies = host.out().trimEnd().split("\n").map((line): unknown => JSON.parse(line));
  assertEquals(replies.length, SESSION.trimEnd().split("\n").length);
  assertMatch(host.err(), /^16 lines answered; 1 remembered, 3 unreadable\n$/);
});

Deno.test("serve answers before the next question comes, flushed, until standard input ends", async () => {
  const command = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", join(PROJECT_ROOT, "cli/main.ts"), "serve", "--device", "n150"],
    stdin: "piped",
    stdout: "piped",
  });
  await using child = command.spawn();
  const writer = child.stdin.getWriter();
  const reader = child.stdout.getReader();
  for (const line of SESSION.trimEnd().split("\n").slice(0, 3)) {
    await writer.write(new TextEncoder().encode(`${line}\n`));
    const { value } = await reader.read();
    assertMatch(new TextDecoder().decode(value), /^\{"id":\d+,"ok":true.*\}\n$/);
  }
  await writer.close();
  assertEquals((await reader.read()).done, true);
  assertEquals((await child.status).code, 0);
});

Deno.test("readLines() joins lines split between two reads, also within a character", () => {
  const bytes = new TextEncoder().encode("a\r\nbé\n\nlast");
  const cut = bytes.indexOf(0xc3) + 1;
  assertEquals(collect([bytes.subarray(0, 2), bytes.subarray(2, cut), bytes.subarray(cut)]), [
    ["a"],
    ["bé", ""],
    ["last"],
  ]);
  assertEquals(collect([]), []);
});
