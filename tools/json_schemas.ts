// SPDX-License-Identifier: Apache-2.0

/**
 * Writes the schemas of what `--json` prints, `docs/schema/tilewright.NAME-VERSION.json`, from what the commands below
 * really print: a key that is always there is required, an object whose keys are always the same is closed. Schemas
 * that are written by hand (simulation) are left alone; that of device files is made from the table of constants.
 * Arguments such as `plan rows` name the schemas to write; without any all are.
 *
 * @module
 */

import { join } from "@std/path";
import { COMMANDS } from "../cli/command_table.ts";
import { runCommandLine } from "../cli/dispatch.ts";
import { OP_CONFIG_JSON_SCHEMA } from "../lib/op_config/schema.ts";
import { RECORDED_PYTHON, withRecordedBackend } from "../cli/testing/recorded_backend.ts";
import { createProjectHost } from "../cli/testing/project_host.ts";
import { SHARED } from "../testing/corpus.ts";
import { deviceFileSchema } from "./device_file_schema.ts";
import { CHECK, CLASH, FULL, FULL_AT, REPORTED, SCHEMA_INPUTS, TOO_LARGE } from "./schema_inputs.ts";
import { ROOT } from "./steps.ts";

const MNIST = "testdata/models/mnist.mlir";
const SEGFORMER = "testdata/models/segformer_block.mlir";
const LLAMA = "testdata/models/llama_3_2_1b_decode.mlir";
const UNET = "testdata/models/unet.mlir";

/** What a schema says of every document in words, and command lines that print some: lists of words where one has a blank. */
interface SchemaSource {
  readonly description: string;
  readonly commands: readonly (string | readonly string[])[];
  /** Whether the commands read the shared folder; the schema is left alone where that is not present. */
  readonly needsShared: boolean;
}

function source(
  description: string,
  commands: SchemaSource["commands"],
  reads: "project" | "shared" = "project",
): SchemaSource {
  return { description, commands, needsShared: reads === "shared" };
}

const SOURCES: Readonly<Record<string, SchemaSource>> = {
  "tilewright.plan/1": source(
    "What optimize --json prints; everything but summary.wallMs is the same on every run.",
    [
      ...["dram", "greedy", "beam-cost", "df-sharding-2", "greedy-l1-interleaved"].flatMap((policy) => [
        `optimize ${MNIST} --policy ${policy}`,
        `optimize ${UNET} --policy ${policy}`,
      ]),
      `optimize ${MNIST} --policy optimal`,
      "optimize unknown.mlir --policy dram",
      "optimize untimed.mlir --policy dram",
      "optimize host.mlir --policy dram",
      `optimize ${SEGFORMER} --time-budget 0.01`,
      `optimize ${LLAMA} --policy greedy --gap`,
      "optimize named.mlir --override-output-layout act=dram --gap",
      `optimize ${LLAMA} --policy greedy --tensor-l1-usage-cap 0.2`,
      `optimize ${SEGFORMER} --policy greedy --schedule memory`,
      "optimize testdata/models/vit_b.mlir --policy df-sharding-2",
      "optimize huge.mlir --policy dram",
      "optimize ttir.mlir --policy dram",
    ],
  ),
  "tilewright.rows/1": source(
    "What optimize --json and simulate --json print with --top, --id-range, --sort or --group-by: " +
      "those rows, or the groups that they were counted in, and how many there are without a selection.",
    [
      `optimize ${MNIST} --policy greedy --top 3`,
      `optimize ${LLAMA} --policy greedy --id-range 4-20`,
      `optimize ${UNET} --policy dram --group-by op`,
      `simulate ${MNIST} --sort time`,
      "simulate testdata/models/vit_b.mlir --top 20",
      "simulate unknown.mlir --top 2",
      "optimize ttir.mlir --policy greedy --top 3",
      `simulate ${UNET} --group-by memory`,
    ],
  ),
  "tilewright.advice/1": source("What advise --json prints.", [
    `advise ${MNIST}`,
    `advise ${MNIST} --policy greedy --same-numbers`,
    `advise ${MNIST} --tensor-l1-usage-cap 0.2 --policy dram`,
    "advise ttir.mlir --policy bf-interleaved",
  ]),
  "tilewright.what-if/1": source("What optimize --json prints for several devices.", [
    `optimize ${MNIST} --device n150,p150`,
    "optimize named.mlir --override-output-layout act=dram --gap --device n150,p150",
    "optimize huge.mlir --policy dram --device n150,n300",
    "optimize unknown.mlir --policy dram --device n150,p150",
    "optimize untimed.mlir --policy dram --device n150,p150",
    "optimize host.mlir --policy dram --device n150,p150",
    "optimize ttir.mlir --policy dram --device n150,p150",
    "optimize ttir.mlir --policy dram --device n150,p150 --mesh-shape 2x4",
  ]),
  "tilewright.diff/1": source("What diff --json prints.", [
    `diff ${UNET} --policy-a dram --policy-b greedy --threshold 2%`,
    `diff ${SEGFORMER} --policy-a df-sharding-2 --policy-b beam`,
    `diff ${MNIST} ${MNIST}`,
    `diff ${MNIST} ${SEGFORMER}`,
    `diff huge.mlir ${MNIST}`,
    `diff host.mlir ${MNIST}`,
    `diff ${MNIST} --device-a n150 --device-b p150`,
  ]),
  "tilewright.gap/1": source("What explain --gap --json prints.", [
    `explain ${MNIST} --gap --policy greedy`,
    `explain ${SEGFORMER} --gap`,
    `explain ${UNET} --gap --policy beam`,
    "explain host.mlir --gap",
    "explain named.mlir --override-output-layout act=dram --gap",
  ]),
  "tilewright.search/1": source("What explain --search --json prints.", [
    `explain ${MNIST} --search`,
    `explain ${SEGFORMER} --search --time-budget 0.05`,
    `explain ${UNET} --search --policy optimal`,
  ]),
  "tilewright.run-audit/1": source(
    "What diff --json prints of a file and a measured run, and audit run --json.",
    [
      `audit run ${MNIST} --profile run.csv`,
      `diff ${MNIST} other.csv`,
      `diff ${SEGFORMER} run.csv --policy-a greedy`,
    ],
  ),
  "tilewright.explanation/1": source("What explain --json prints.", [
    `explain ${MNIST} --op 1`,
    ...["0", "1", "2", "3", "4", "5", "6"].flatMap((op) =>
      ["beam", "greedy"].map((policy) => `explain ${MNIST} --op ${op} --policy ${policy}`)
    ),
    `explain ${SEGFORMER} --op 3 --policy beam`,
    `explain ${SEGFORMER} --op 12 --policy greedy`,
    `explain ${UNET} --op 12 --policy beam`,
    `explain ${LLAMA} --op 9 --policy greedy`,
    `explain ${LLAMA} --op 18 --policy beam`,
    "explain crowded.mlir --op 2 --policy greedy --keep-graph",
    `explain ${MNIST} --op 3 --policy df-sharding`,
    "explain trace.json --op matmul_1",
    "explain host.mlir --op 0 --policy auto",
  ]),
  "tilewright.doctor/1": source("What doctor --json prints.", [
    `doctor ${MNIST}`,
    ["doctor", "--message", CLASH],
    ["doctor", "--message", TOO_LARGE],
    ["doctor", "--message", FULL],
    ["doctor", "--message", CHECK],
    ...[...FULL_AT, ...REPORTED].map((message) => ["doctor", "--message", message]),
    "doctor crowded.mlir",
    "doctor huge.mlir",
    "doctor unknown.mlir",
    "doctor host.mlir",
    `doctor ${SEGFORMER} --tensor-l1-usage-cap 0.01`,
    ["doctor", "crowded.mlir", "--message", CLASH],
    ["doctor", "crowded.mlir", "--message", FULL],
    ["doctor", "crowded.mlir", "--message", CHECK],
  ]),
  "tilewright.bench/1": source("What bench --json prints.", [
    `bench ${MNIST} --policies dram,greedy`,
    "bench unknown.mlir --policies dram",
    "bench untimed.mlir --policies dram",
    "bench host.mlir --policies dram",
    "bench huge.mlir --policies dram",
    "bench ttir.mlir --policies dram",
    `bench ${MNIST} --policies dram --shard 2/2`,
  ]),
  "tilewright.lint/1": source("What lint --json prints.", [
    `lint ${MNIST}`,
    `lint ${MNIST} --device p150`,
    "lint odd.mlir",
  ]),
  "tilewright.confirmation/1": source(
    "What confirm --json prints.",
    ["crash", "different", "refused"].map((name) => ["confirm", `testdata/confirm/${name}.mlir`]),
  ),
  "tilewright.minimal/1": source("What minimise --json prints.", [[
    "minimise",
    MNIST,
    "--keeps",
    "diff dram beam-cost > 5%",
  ]]),
  "tilewright.price/1": source("What price --json prints.", [
    "price matmul 32x4096 4096x14336 --weights bfp8 --device n150,p150",
    "price softmax 1x32x128x128 --in0 l1/height_sharded/8x8",
    "price conv2d 1x56x56x64 64x64x3x3 --attr padding=1,1",
    "price update_cache 1x8x128x64 1x8x1x64 1",
    "price softmax 64x64 --attr dimension=2",
    "price all_gather 64x64 --result 64x128",
    "price paged_update_cache 8x8x32x64 1x8x8x64 --in1 l1/height/8x1",
  ]),
  "tilewright.backend-agreement/1": source(
    "What audit op-model --json prints.",
    [
      "audit op-model --data answers.jsonl --misses",
      "audit op-model --data answers.jsonl",
    ],
  ),
  "tilewright.cost-model-audit/1": source("What audit cost-model --json prints.", [
    "audit cost-model --data measured.json",
    "audit cost-model --data measured.json --folds 2",
  ], "shared"),
  "tilewright.decision-audit/1": source("What audit decisions --json prints.", [
    "audit decisions --data measured.json",
  ], "shared"),
  "tilewright.layer-audit/1": source("What audit layers --json prints.", [
    "audit layers --data first.jsonl",
    "audit layers --data second.jsonl",
  ], "shared"),
  "tilewright.calibration/1": source("What calibrate --json prints.", [
    "calibrate --data measured.json --folds 2",
  ], "shared"),
  "tilewright.serve/1": source("What serve --stats --json prints at its end, on standard error.", [
    "serve --stats",
    "serve --stats --device n150",
  ]),
  "tilewright.ops/1": source("What ops --json prints.", ["ops"]),
  "tilewright.ops-uncovered/1": source("What ops --uncovered FILE --json prints.", [
    `ops --uncovered ${MNIST}`,
    "ops --uncovered unknown.mlir",
  ]),
  "tilewright.devices/1": source("What devices --json prints.", ["devices"]),
  "tilewright.config/1": source("What --print-config --json prints.", [
    "optimize --print-config",
    "layout --print-config",
  ]),
  "tilewright.layout/1": source("What layout --json prints.", [
    "layout tensor<2x3x64x128xf32> --grid 2x4 --at 1,1,6,100",
    "layout tensor<53x63xbf16> --grid 3x2 --tile 32x32",
    "layout tensor<4096x4096xbf16> --sharding block --grid 8x8 --reshard-to l1/height/64x1",
    "layout tensor<128x128xbf16> --sharding interleaved",
    "layout tensor<128x128xbf16> --sharding interleaved --at 40,50",
    "layout tensor<128x128xbf16> --sharding height --grid 4x1 --tile none --at 40,50",
  ]),
};

/** Under this key stands an op config, whose schema is written down; samples never show all of its fields. */
const OP_CONFIG_KEY = "config";

/** Keys that, where they are always there, are null where the certificate is `none`, which few inputs bring about. */
const UNKNOWN_WITHOUT_BOUND: ReadonlySet<string> = new Set(["lowerBoundUs", "gap"]);

/** Keys whose objects map names that are not known beforehand to values of one kind. */
const DICTIONARIES: ReadonlySet<string> = new Set(["counters", "options", "constants"]);

const OP_CONFIG_OR_NONE = { anyOf: [{ $ref: "#/$defs/opConfig" }, { type: "null" }] };

/** What has been seen at one place of the documents. */
class Seen {
  readonly types: Set<string> = new Set();
  readonly properties: Map<string, Seen> = new Map();
  objects = 0;
  count = 0;
  items: Seen | undefined;
  dictionary: Seen | undefined;

  add(value: unknown, key: string): void {
    this.count++;
    if (Array.isArray(value)) {
      this.types.add("array");
      this.items ??= new Seen();
      for (const item of value) this.items.add(item, "");
    } else if (typeof value === "object" && value !== null) {
      this.types.add("object");
      this.objects++;
      for (const [name, part] of Object.entries(value)) {
        if (DICTIONARIES.has(key)) {
          this.dictionary ??= new Seen();
          this.dictionary.add(part, "");
          continue;
        }
        this.properties.getOrInsertComputed(name, () => new Seen()).add(part, name);
      }
    } else this.types.add(value === null ? "null" : typeof value);
  }

  /** The schema of everything seen here. */
  schema(): Record<string, unknown> {
    const types = [...this.types].sort();
    const type = types.length === 1 ? types[0] : types;
    const schema: Record<string, unknown> = types.length === 0 ? {} : { type };
    if (this.types.has("array") && this.items !== undefined && this.items.count > 0) {
      schema["items"] = this.items.schema();
    }
    if (this.dictionary !== undefined) schema["additionalProperties"] = this.dictionary.schema();
    else if (this.properties.size > 0) {
      const required = [...this.properties].filter(([, property]) => property.count >= this.objects)
        .map(([name]) => name);
      for (const name of required) {
        if (UNKNOWN_WITHOUT_BOUND.has(name)) this.properties.get(name)?.types.add("null");
      }
      schema["required"] = required;
      schema["properties"] = Object.fromEntries(
        [...this.properties].map(([name, property]) => [
          name,
          name === OP_CONFIG_KEY && property.properties.has("kind") ? OP_CONFIG_OR_NONE : property.schema(),
        ]),
      );
      // Where keys come and go there may be some that no sample had.
      if (required.length === this.properties.size) schema["additionalProperties"] = false;
    }
    return schema;
  }
}

/** Name of a schema's file below `docs/schema`. */
export function schemaFile(schema: string): string {
  return `${schema.replace("/", "-")}.json`;
}

/** The document that a command line prints with `--json`. */
export async function printedDocument(args: readonly string[]): Promise<unknown> {
  const host = createProjectHost({
    files: { ...SCHEMA_INPUTS, ...RECORDED_PYTHON.files },
    environment: RECORDED_PYTHON.environment,
  });
  await runCommandLine([...args, "--json"], withRecordedBackend(host), "0.0.0", COMMANDS);
  // Standard output of serve belongs to the compiler.
  const printed = args[0] === "serve" ? host.err() : host.out();
  if (printed === "") throw new Error(`Cannot sample ${args.join(" ")}: ${host.err()}`);
  return JSON.parse(printed);
}

if (import.meta.main) {
  const device = join(ROOT, "docs", "schema", schemaFile("tilewright.device/1"));
  await Deno.writeTextFile(device, `${JSON.stringify(deviceFileSchema(), null, 2)}\n`);
  for (const [name, { description, commands, needsShared }] of Object.entries(SOURCES)) {
    if (Deno.args.length > 0 && !Deno.args.includes(name.replace(/^tilewright\.|\/.*$/g, ""))) continue;
    if (needsShared && SHARED === undefined) {
      console.log(`${name} left alone: the shared folder is not present`);
      continue;
    }
    const seen = new Seen();
    for (const command of commands) {
      seen.add(await printedDocument(typeof command === "string" ? command.split(" ") : command), "");
    }
    const body = seen.schema();
    const properties = body["properties"];
    const schema = {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      title: name,
      description,
      ...body,
      properties: {
        ...(typeof properties === "object" ? properties : {}),
        schema: { const: name },
      },
      ...(JSON.stringify(body).includes("#/$defs/opConfig")
        ? { $defs: { opConfig: OP_CONFIG_JSON_SCHEMA } }
        : {}),
    };
    const path = join(ROOT, "docs", "schema", schemaFile(name));
    await Deno.writeTextFile(path, `${JSON.stringify(schema, null, 2)}\n`);
    console.log(path.slice(ROOT.length));
  }
}
