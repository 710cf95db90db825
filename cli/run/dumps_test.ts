// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { COMMANDS } from "../command_table.ts";
import { EXIT } from "../command.ts";
import { runCommandLine } from "../dispatch.ts";
import { createMemoryHost } from "../testing/memory_host.ts";

/** A module as a pass left it, with an alias that every dump defines anew. */
function dump(pass: string, op: string): string {
  return `// -----// IR Dump After ${pass} (p) ('builtin.module' operation: @m) //----- //
#loc = loc("a")
module @m {
  func.func @main(%x: tensor<32x32xbf16>) -> tensor<32x32xbf16> {
    %0 = "ttir.${op}"(%x) : (tensor<32x32xbf16>) -> tensor<32x32xbf16> loc(#loc)
    return %0 : tensor<32x32xbf16>
  }
}

`;
}

const TWO = dump("First", "moe_of_tomorrow") + dump("Second", "relu");
const TWO_SAID =
  "remark: dumps.mlir holds 2 modules (1 After First (p) ttir, 2 After Second (p) ttir); 2 After Second (p) ttir is read, " +
  "from line 11; --module names another\n";

const READERS: readonly (readonly string[])[] = [
  ["optimize", "--policy", "dram"],
  ["optimize", "--policy", "dram", "-o", "-"],
  ["optimize", "--policy", "dram", "--json"],
  ["simulate"],
  ["simulate", "--json"],
  ["explain", "--policy", "greedy", "--gap"],
  ["doctor"],
  ["lint"],
  ["lint", "--json"],
  ["print", "--generic"],
  ["ops", "--uncovered"],
  ["bench", "--policies", "dram"],
  ["report", "-o", "page.html"],
  ["minimise", "--keeps", "diff dram greedy > 500%"],
];

async function read(args: readonly string[], text: string): Promise<readonly [number, string, string]> {
  const host = createMemoryHost({ files: { "dumps.mlir": text } });
  const code = await runCommandLine([...args, "dumps.mlir"], host, "0.0.0", COMMANDS);
  return [code, host.out(), host.err()];
}

Deno.test("every command reads the same module of a file of dumps, and reports it once on standard error", async () => {
  for (const args of READERS) {
    const [code, out, err] = await read(args, TWO);
    assertEquals(code === EXIT.ok || args[0] === "minimise", true, `${args}: ${code} ${err}`);
    assertEquals(err.split(TWO_SAID).length, 2, `${args}: ${err}`);
    assertEquals([out.includes("remark:"), out.includes("moe_of_tomorrow")], [false, false], `${args}`);
    if (args.includes("--json")) JSON.parse(out);
  }
});

Deno.test("every command reads the module that is asked for", async () => {
  const swapped = dump("First", "relu") + dump("Second", "moe_of_tomorrow");
  for (const [command = "", ...args] of READERS) {
    const [code, out, err] = await read([command, "--module", "First", ...args], swapped);
    assertEquals(code === EXIT.ok || command === "minimise", true, `${command} ${args}: ${code} ${err}`);
    assertEquals(out.includes("moe_of_tomorrow"), false, `${command} ${args}`);
  }
});

Deno.test("a single dump is reported as one", async () => {
  const said =
    "remark: dumps.mlir holds one module among other things, which is read: 1 After Only (p) ttir\n";
  for (const args of [["lint"], ["simulate"]]) {
    assertEquals((await read(args, dump("Only", "relu")))[2].startsWith(said), true, `${args}`);
  }
});

Deno.test("print gives back every byte of a file of dumps, and lint takes its dumps one by one if asked to", async () => {
  assertEquals(await read(["print"], TWO), [EXIT.ok, TWO, TWO_SAID]);
  const [, first] = await read(["print", "--module", "1"], TWO);
  assertEquals([first.includes("moe_of_tomorrow"), first.includes("ttir.relu"), first.includes("IR Dump")], [
    true,
    false,
    false,
  ]);
  const [, , err] = await read(["lint", "--split-input-file"], TWO);
  assertEquals([err.includes("moe_of_tomorrow"), err.includes("remark:")], [true, false]);
});
