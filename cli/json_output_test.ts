// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { getDevice, loadDevice } from "../sim/devices/device_registry.ts";
import { corpusTest, PROJECT_ROOT } from "../testing/corpus.ts";
import { COMMANDS } from "./command_table.ts";
import { validateJson } from "../testing/json_schema.ts";
import { printedDocument, schemaFile } from "../tools/json_schemas.ts";

const RESNET = "testdata/models/resnet50.mlir";
const SEGFORMER = "testdata/models/segformer_block.mlir";
const BERT = "testdata/models/bert_base.mlir";

/** Command lines on inputs that the schemas were not made from. */
const COMMAND_LINES: readonly (readonly string[])[] = [
  ["optimize", SEGFORMER, "--policy", "greedy"],
  ["optimize", BERT, "--policy", "df-sharding-2", "--device", "p150"],
  ["optimize", SEGFORMER, "--device", "n300,p100"],
  ["simulate", BERT, "--device", "p150"],
  ["confirm", "testdata/models/mnist.mlir"],
  ["diff", BERT, "--policy-a", "dram", "--policy-b", "beam"],
  ["diff", SEGFORMER, "--policy-a", "greedy-l1-interleaved", "--policy-b", "greedy"],
  ["diff", RESNET, "run.csv"],
  ["explain", RESNET, "--op", "20", "--policy", "beam"],
  ["explain", BERT, "--op", "7", "--policy", "greedy"],
  ["explain", SEGFORMER, "--search"],
  ["explain", "trace.json", "--op", "relu"],
  ["doctor", RESNET, "--op", "9"],
  [
    "doctor",
    "--message",
    "circular buffers in program 7 clash with L1 buffers on core range [(x=0,y=0) - (x=3,y=7)]. L1 buffer allocated " +
    "at 665600 and static circular buffer region ends at 890144",
  ],
  ["bench", SEGFORMER, "--policies", "dram,df-sharding"],
  ["lint", BERT],
  ["lint", "ttir.mlir", "--device", "p100"],
  ["optimize", "ttir.mlir", "--policy", "greedy"],
  ["optimize", "ttir.mlir", "--policy", "beam", "--top", "2"],
  ["optimize", "ttir.mlir", "--device", "n150,n300"],
  ["optimize", "ttir.mlir", "--device", "n150,p100", "--mesh-shape", "8"],
  ["bench", "ttir.mlir", "--policies", "greedy"],
  ["advise", "ttir.mlir", "--policy", "greedy"],
  ["ops"],
  ["ops", "--uncovered", RESNET],
  ["devices"],
  ["devices", "show", "p150"],
  ["simulate", "--print-config"],
  ["layout", "tensor<32x64xbf16>", "--sharding", "height", "--grid", "2x1"],
  ["price", "rms_norm", "1x1x32x2048", "--device", "p150"],
  ["price", "matmul", "64x64", "64x64", "--in0", "l1/width_sharded/1x2", "--device", "n150,p150"],
  ["minimise", SEGFORMER, "--keeps", "diff dram greedy > 5%", "--tries", "30"],
  [
    "advise",
    "testdata/models/mnist.mlir",
    "--device",
    "p150",
    "--policy",
    "dram",
    "--max-error",
    "relative=5%",
  ],
  ["serve", "--stats", "--device", "p150"],
  ["audit", "run", SEGFORMER, "--profile", "run.csv"],
  ["audit", "op-model", "--data", "testdata/backend/softmax.jsonl", "--misses"],
];

/** The same on recorded facts. */
const SHARED_COMMAND_LINES: readonly (readonly string[])[] = [
  ["audit", "op-model", "--data", "../shared/data/op-model-expectations.json"],
  ["audit", "cost-model", "--data", "../shared/data/measured-perf.json"],
  ["audit", "decisions", "--data", "../shared/data/measured-ops-2.json"],
  ["audit", "layers", "--data", "second.jsonl", "--data", "first.jsonl"],
  ["calibrate", "--data", "measured.json", "--folds", "3", "--seed", "2"],
];

const ENVELOPE = ["schema", "tool", "input", "device", "summary"];

async function checkDocument(args: readonly string[]): Promise<void> {
  const document = await printedDocument(args);
  assert(typeof document === "object" && document !== null && "schema" in document);
  assertEquals(ENVELOPE.filter((key) => !(key in document)), []);
  const path = join(PROJECT_ROOT, "docs", "schema", schemaFile(String(document.schema)));
  assertEquals(validateJson(document, JSON.parse(await Deno.readTextFile(path))), []);
}

for (const args of COMMAND_LINES) {
  Deno.test(`${args.join(" ").slice(0, 80)} --json prints what its schema says`, () => checkDocument(args));
}

for (const args of SHARED_COMMAND_LINES) {
  corpusTest(`${args.join(" ")} --json prints what its schema says`, () => checkDocument(args));
}

/** Commands that write text for other programs and print no results of their own. */
const WITHOUT_RESULTS = ["completions", "mcp", "print", "report"];

Deno.test("every command that prints results has --json, and its document is checked", () => {
  const without = COMMANDS.filter(({ options }) => !options.some(({ name }) => name === "json"));
  assertEquals(without.map(({ name }) => name).sort(), WITHOUT_RESULTS);
  // Every command that has it is among those whose documents are checked above.
  const checked = new Set([...COMMAND_LINES, ...SHARED_COMMAND_LINES].map(([name]) => name));
  assertEquals(
    COMMANDS.map(({ name }) => name).filter((name) => !WITHOUT_RESULTS.includes(name) && !checked.has(name)),
    [],
  );
});

Deno.test("devices show --json is a device file that --device takes, and the schema takes short ones as well", async () => {
  const shown = await printedDocument(["devices", "show", "p150"]);
  const { name: _, ...loaded } = loadDevice("p150.json", shown);
  const { name: __, ...bundled } = getDevice("p150");
  assertEquals(loaded, bundled);
  const schema = JSON.parse(
    await Deno.readTextFile(join(PROJECT_ROOT, "docs", "schema", schemaFile("tilewright.device/1"))),
  );
  assertEquals(validateJson({ extends: "p150", constants: { clock: { aiclk: 1000 } } }, schema), []);
  assert(validateJson({ extends: "p150", constants: { clock: { aiclok: 1000 } } }, schema).length > 0);
});
