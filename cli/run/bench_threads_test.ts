// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { EXIT } from "../command.ts";
import { COMMANDS } from "../command_table.ts";
import { denoHostWithThreads } from "../deno_host.ts";
import { runCommandLine } from "../dispatch.ts";
import type { Host } from "../host.ts";
import { createMemoryHost } from "../testing/memory_host.ts";

const THREAD = new URL("../thread.ts", import.meta.url);
const DEAD_THREAD = new URL(`data:application/javascript,throw new Error("no such thread")`);

function model(width: number): string {
  const tensor = `tensor<64x${width}xbf16>`;
  return `func.func @main(%x: ${tensor}) -> ${tensor} {
  %0 = "ttir.relu"(%x) : (${tensor}) -> ${tensor}
  %1 = "ttir.exp"(%0) : (${tensor}) -> ${tensor}
  return %1 : ${tensor}
}
`;
}

/** What a run of `bench` comes to. */
interface Run {
  readonly code: number;
  readonly saved: string | undefined;
  readonly out: string;
  readonly err: string;
}

/** Real files and threads, what is printed collected. */
async function bench(thread: URL, ...args: string[]): Promise<Run> {
  const { stdout, stderr, out, err, files } = createMemoryHost();
  const host: Host = {
    ...denoHostWithThreads(thread),
    stdout,
    stderr,
    writeText: (path, text) => Promise.resolve(void files.set(path, text)),
  };
  const code = await runCommandLine(["bench", ...args], host, "0.0.0", COMMANDS);
  return { code, saved: files.get("saved.json"), out: out(), err: err() };
}

Deno.test("bench gives the same bytes and errors with any --jobs", async () => {
  const folder = await Deno.makeTempDir();
  try {
    for (const width of [64, 128, 256]) await Deno.writeTextFile(join(folder, `${width}.mlir`), model(width));
    await Deno.writeTextFile(join(folder, "150.mlir"), "func.func @main( {");
    const args = [folder, "--policies", "dram,auto", "--format", "md", "--save", "saved.json"];
    const [one, two, four] = [
      await bench(THREAD, ...args),
      await bench(THREAD, ...args, "--jobs", "2"),
      await bench(THREAD, ...args, "--jobs", "4"),
    ];
    assertEquals([one.code, JSON.parse(one.saved ?? "{}").results?.length], [EXIT.badInput, 6]);
    assertStringIncludes(one.err, "150.mlir:1:");
    for (const run of [two, four]) assertEquals(run, one);
    const wrong = await bench(THREAD, ...args, "--jobs", "2", "--argument-types", "main:input");
    assertEquals([wrong.code, wrong.err.includes("Cannot read --argument-types")], [EXIT.usage, true]);
    const none = await bench(THREAD, ...args, "--jobs", "0");
    assertEquals([none.code, none.err.includes("--jobs takes a whole number")], [EXIT.usage, true]);
    const dead = await bench(DEAD_THREAD, ...args, "--jobs", "2");
    assertEquals([dead.code, dead.err.includes("no such thread")], [EXIT.internal, true], dead.err);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
