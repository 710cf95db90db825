// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { COMMANDS } from "./command_table.ts";
import { EXIT } from "./command.ts";
import { runCommandLine } from "./dispatch.ts";
import { createProjectHost } from "./testing/project_host.ts";
import type { MemoryHost } from "./testing/memory_host.ts";

const MNIST = "testdata/models/mnist.mlir";

const TTIR = `func.func @main(%x: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
  %0 = "ttir.relu"(%x) : (tensor<64x64xbf16>) -> tensor<64x64xbf16>
  return %0 : tensor<64x64xbf16>
}
`;

/** What its ops are folded to is its argument. */
const NO_OPS = TTIR.replace('"ttir.relu"(%x) :', '"ttir.concat"(%x) <{dim = 0 : si32}> :');

async function ran(host: MemoryHost, ...args: string[]): Promise<number> {
  return await runCommandLine(args, host, "0.0.0", COMMANDS);
}

Deno.test("invalid words on the command line get a suggestion", async (t) => {
  const cases: readonly (readonly [readonly string[], string])[] = [
    [["simulate", MNIST, "--id-range", "5-2"], "it ends before it starts; use 2-5"],
    [
      ["simulate", MNIST, "--id-range", "7-"],
      "--id-range 7- selects no row of the table; its ids go from 0 to 6",
    ],
    [["simulate", MNIST, "--group-by", "op", "--id-range", "9"], "its ids go from 0 to 6"],
    [["optimize", MNIST, "--policy", "dram", "--id-range", "70-90"], "its ids go from 0 to 6"],
    [
      ["report", MNIST, "--as-written", "--policy", "greedy"],
      "--policy decides layouts, --as-written shows those",
    ],
    [["simulate", MNIST, "--min-percentage", "200"], "--min-percentage must be between 0 and 100, not 200"],
    [
      ["simulate", MNIST, "--json", "--emit", "json=-"],
      "--json and --emit json both write to standard output",
    ],
    [
      ["optimize", MNIST, "-o", "-", "--emit", "overrides=/dev/stdout"],
      "--output and --emit overrides both write to standard output",
    ],
    [["explain", MNIST, "--op", "99", "--policy", "dram"], "ids go from 0 to 6"],
    [["explain", "empty.mlir", "--op", "0", "--policy", "dram"], "no op is decided here"],
    [["simulate", "-x", MNIST], "Unknown option -x for simulate"],
    [["simulate", "--outptu", MNIST], "Unknown option --outptu for simulate"],
    [["price", "matmul", "32x32"], "ttnn.matmul takes 2 operands, not 1"],
    [["price", "relu", "32x32", "32x32"], "ttnn.relu takes 1 operand, not 2"],
    [["price", "concat"], "ttnn.concat takes at least 1 operand, not 0"],
    [["price", "relu", "0x32"], "'0x32' has an extent of 0"],
    [["price", "topk", "32x32", "--attr", "k=0"], "its result would be 32x0, without any element"],
    [
      ["price", "pad", "32x32", "--attr", "padding=0,-5,0,0"],
      "a padding of -5 takes elements away; slice instead",
    ],
    [
      ["price", "group_norm", "1x1x64x480", "--attr", "num_groups=7"],
      "480 channels do not split into 7 groups",
    ],
    [["price", "relu", "32x32", "--top", "-1"], "--top takes a whole number from 0, not -1"],
    [
      ["minimise", MNIST, "--keeps", "fails with x", "--tries", "0"],
      "--tries takes a whole number from 1, not 0",
    ],
    [["diff", MNIST, MNIST, "--top", "2.5"], "--top takes a whole number from 0, not 2.5"],
    [["optimize", MNIST, "--top", "-1"], "--top takes a whole number from 0, not -1"],
    [["optimize", MNIST, "--active-users", "0"], "--active-users takes a whole number from 1, not 0"],
    [["bench", MNIST, "--jobs", "0"], "--jobs takes a whole number from 1, not 0"],
  ];
  for (const [args, message] of cases) {
    await t.step(args.join(" "), async () => {
      const host = createProjectHost({ files: { "empty.mlir": NO_OPS } });
      assertEquals(await ran(host, ...args), EXIT.usage);
      assertStringIncludes(host.err(), message);
    });
  }
});

Deno.test("a file of another kind is named", async (t) => {
  const files = {
    "plan.json": '{\n  "schema": "tilewright.plan/1"\n}\n',
    "chip.json": '{ "extends": "p150", "constants": { "clock": { "aiclk": "fast" } } }',
    "table.csv": "op,time\nrelu,1\n",
    "format.mlir": TTIR.replaceAll("bf16", "bf17"),
  };
  const cases: readonly (readonly [readonly string[], string])[] = [
    [["simulate", "plan.json"], "plan.json:1:1: error: Cannot read plan.json as IR: it is JSON"],
    [["lint", "plan.json"], "plan.json:1:1: error: Cannot read plan.json as IR: it is JSON"],
    [["print", "plan.json", "--split-input-file"], "error: Cannot read plan.json as IR: it is JSON"],
    [["diff", MNIST, "table.csv"], "Cannot read profile table.csv: the header names no op codes"],
    [["optimize", MNIST, "--device", "chip.json"], '"clock.aiclk" must be a number of MHz'],
    [["optimize", "format.mlir"], "'bf17' is not an element type"],
  ];
  for (const [args, message] of cases) {
    await t.step(args.join(" "), async () => {
      const host = createProjectHost({ files });
      assertEquals(await ran(host, ...args), EXIT.badInput);
      assertStringIncludes(host.err(), message);
    });
  }
});

Deno.test("without a file, a keyboard is not waited for, a pipe is read", async () => {
  for (const command of ["optimize", "simulate", "lint", "print", "report"]) {
    const keyboard = createProjectHost({ isTerminal: true, files: { "-": TTIR } });
    assertEquals(await ran(keyboard, command), EXIT.usage);
    assertStringIncludes(keyboard.err(), "name a file");
  }
  assertEquals(await ran(createProjectHost({ files: { "-": TTIR } }), "print"), EXIT.ok);
  assertEquals(
    await ran(createProjectHost({ isTerminal: true, files: { "-": TTIR } }), "print", "-"),
    EXIT.ok,
  );
});

Deno.test("a byte order mark and carriage returns are kept, and inserted lines end alike", async () => {
  const host = createProjectHost();
  const text = await host.readText(MNIST);
  host.files.set("windows.mlir", `\uFEFF${text.replaceAll("\n", "\r\n")}`);
  assertEquals(await ran(host, "optimize", "windows.mlir", "-o", "out.mlir"), EXIT.ok, host.err());
  assertEquals(await ran(host, "optimize", MNIST, "-o", "plain.mlir"), EXIT.ok);
  const out = host.files.get("out.mlir") ?? "";
  assertEquals(out.slice(1).replaceAll("\r\n", "\n"), host.files.get("plain.mlir"));
  assert(out.startsWith("\uFEFF") && !/[^\r]\n/.test(out));
  assertEquals(await ran(host, "lint", "out.mlir"), EXIT.ok, host.err());
});

Deno.test("a remark is made once per run, on a line of its own", async () => {
  const host = createProjectHost({ isTerminal: true, files: { "model.mlir": TTIR } });
  const args = ["bench", "model.mlir", "--policies", "dram,greedy,beam"];
  assertEquals(await ran(host, ...args), EXIT.ok, host.err());
  assertEquals(host.err().split("model.mlir is TTIR").length, 2);
  // Every line of status is removed before anything else is written.
  for (const [, before] of host.err().matchAll(/([^\n\r]*)remark:/g)) assertEquals(before, "\x1b[K");
});

Deno.test("progress names file, policy and op, with how many there are", async () => {
  let now = 0;
  const host = { ...createProjectHost({ isTerminal: true, columns: 120 }), now: () => now += 500 };
  const policies = "dram,greedy";
  assertEquals(
    await runCommandLine(["bench", MNIST, "--policies", policies], host, "0.0.0", COMMANDS),
    EXIT.ok,
  );
  assertStringIncludes(host.err(), "mnist.mlir: greedy, policy 2 of 2, op 3 of 7, ");
  assertEquals(host.err().includes("testdata/models"), false);
});

Deno.test("an op that graph passes merged is not found, with a hint; one that an override names stays", async () => {
  const tensor = "tensor<256x256xbf16>";
  const files = {
    "merged.mlir": `func.func @main(%x: ${tensor}, %w: ${tensor}) -> ${tensor} {
  %0 = "ttir.matmul"(%x, %w) : (${tensor}, ${tensor}) -> ${tensor} loc("product")
  %1 = "ttir.gelu"(%0) : (${tensor}) -> ${tensor} loc("activation")
  return %1 : ${tensor}
}
`,
  };
  const hint = "--keep-graph leaves every op as it is";
  const told = async (...args: string[]): Promise<readonly [number, string]> => {
    const host = createProjectHost({ files });
    return [await ran(host, ...args, "--policy", "greedy"), host.err()];
  };
  const [explained, why] = await told("explain", "merged.mlir", "--op", "activation");
  assertEquals(explained, EXIT.usage);
  assertStringIncludes(why, hint);
  const override = ["--override-output-layout", "activation=dram:interleaved"];
  assertEquals((await told("optimize", "merged.mlir", ...override))[0], EXIT.ok);
  assertEquals((await told("explain", "merged.mlir", "--op", "activation", "--keep-graph"))[0], EXIT.ok);
  const [misspelled, noHint] = await told("explain", "merged.mlir", "--op", "activatoin", "--keep-graph");
  assertEquals([misspelled, noHint.includes(hint)], [EXIT.usage, false]);
});
