// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { PROJECT_ROOT } from "../testing/corpus.ts";
import { COMMANDS } from "./command_table.ts";
import { EXIT } from "./command.ts";
import { runCommandLine } from "./dispatch.ts";
import { createMemoryHost, type MemoryHost } from "./testing/memory_host.ts";
import { mutateData } from "./testing/mutate.ts";
import { shellWords } from "./testing/project_host.ts";

const MNIST = await Deno.readTextFile(`${PROJECT_ROOT}/testdata/models/mnist.mlir`);

/** Damaged inputs of each kind in the normal run and in the full sweep. */
const ROUNDS = Deno.env.get("TILEWRIGHT_FULL_SWEEP") === undefined ? 12 : 600;

async function run(line: string, files: Readonly<Record<string, string>> = {}) {
  const host = createMemoryHost({ files: { "m.mlir": MNIST, ...files } });
  return { code: await runCommandLine(shellWords(line), host, "0.0.0", COMMANDS), host };
}

/** A file that a command line writes, or what it prints. */
async function made(line: string, file?: string): Promise<string> {
  const { host } = await run(line);
  return file === undefined ? host.out() : host.files.get(file) ?? "";
}

/** What is no program: the file as it should be, and the command lines that read it as `x` beside the good `y`. */
const KINDS: readonly (readonly [name: string, make: () => Promise<string>, lines: readonly string[]])[] = [
  ["plan", () => made("optimize m.mlir --policy greedy --json"), [
    "optimize m.mlir --policy greedy --pin x",
    "diff x y",
    "diff y x --json",
    "report m.mlir --policy greedy --baseline x --policies dram -o r.html",
  ]],
  [
    "trace",
    () => made("optimize m.mlir --policy greedy --enable-decision-trace", "forward_decision_trace.json"),
    ["explain x --op 1", "diff x y", "explain m.mlir --trace x --op 1 --json"],
  ],
  ["device", () => made("devices show p150 --json"), [
    "simulate m.mlir --device x",
    "optimize m.mlir --policy greedy --device x",
    "devices show x",
    "price matmul 32x256 256x64 --device x",
  ]],
  [
    "overridden device",
    () => Promise.resolve('{"extends": "p150", "constants": {"clock": {"aiclk": 1000}}}\n'),
    ["simulate m.mlir --device x", "devices show x --json"],
  ],
  ["profile", () => made("simulate m.mlir --emit perf-csv=p.csv", "p.csv"), [
    "diff m.mlir x",
    "simulate m.mlir --profile x --json",
    "audit run m.mlir --profile x",
    "report m.mlir --as-written --profile x --policies dram -o r.html",
  ]],
  ["results of bench", () => made("bench m.mlir --policies dram,greedy --save b.json", "b.json"), [
    "bench --merge x",
    "bench m.mlir --policies dram,greedy --against x",
    "bench --merge y --against x --format github",
  ]],
  [
    "configuration",
    () => Promise.resolve('{\n  "device": "p150",\n  "simulate": { "top": 4, "id-range": "1-3" },\n}\n'),
    ["simulate m.mlir --config x", "optimize m.mlir --config x --policy dram --print-config"],
  ],
  [
    "log",
    () =>
      Promise.resolve(
        "TT_THROW: Statically allocated circular buffers in program 6 clash with L1 buffers on core range " +
          "[(x=0,y=0) - (x=7,y=7)]. L1 buffer allocated at 665600 and static circular buffer region ends at 890144\n",
      ),
    ["doctor m.mlir --log x", "doctor --log x --json"],
  ],
];

/** Fails on what no input may lead to: an internal error, or bad input without a reason. */
function faultsOf(code: number, host: MemoryHost, what: string): readonly string[] {
  if (code === EXIT.internal) return [`${what}: ${host.err().split("\n")[0]}`];
  return code === EXIT.badInput && !host.err().includes("error: ") ? [`${what}: no reason`] : [];
}

for (const [name, make, lines] of KINDS) {
  Deno.test(`a damaged ${name} is refused with a reason or read`, async () => {
    const good = await make();
    assertEquals(good === "", false, "nothing was made to damage");
    const failures: string[] = [];
    for (let seed = 0; seed < ROUNDS; seed++) {
      for (const line of lines) {
        const { code, host } = await run(line, { x: mutateData(good, seed), y: good });
        failures.push(...faultsOf(code, host, `seed ${seed}: ${line}`));
      }
    }
    assertEquals(failures, []);
  });
}

const WORDS = [
  "price matmul 32x4096 4096x512 --weights bfp8",
  "price softmax 1x32x128x128 --in0 l1/height_sharded/8x8",
  "price conv2d 1x56x56x64 64x64x3x3 --attr padding=1,1",
  "layout tensor<2x3x64x128xf32> --grid 2x4 --at 1,1,6,100",
  "layout tensor<4096x4096xbf16> --sharding block --grid 8x8 --reshard-to l1/height/64x1",
];

Deno.test("damaged words of price and layout are refused with a reason or answered", async () => {
  const failures: string[] = [];
  for (let seed = 0; seed < 2 * ROUNDS; seed++) {
    const line = WORDS[seed % WORDS.length] ?? "";
    const [command = "", ...words] = line.split(" ");
    const host = createMemoryHost();
    const damaged = [command, ...mutateData(words.join(" "), seed).split(" ")];
    const code = await runCommandLine(damaged, host, "0.0.0", COMMANDS);
    failures.push(...faultsOf(code, host, `seed ${seed}: ${damaged.join(" ")}`));
  }
  assertEquals(failures, []);
});
