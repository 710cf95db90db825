// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { PROJECT_ROOT } from "../testing/corpus.ts";
import { validateJson } from "../testing/json_schema.ts";
import { printedDocument, schemaFile } from "../tools/json_schemas.ts";

const RESNET = "testdata/models/resnet50.mlir";
const SEGFORMER = "testdata/models/segformer_block.mlir";
const BERT = "testdata/models/bert_base.mlir";

/** Command lines on inputs that the schemas were not made from. */
const COMMAND_LINES: readonly (readonly string[])[] = [
  ["optimize", RESNET, "--policy", "greedy"],
  ["optimize", BERT, "--policy", "df-sharding-2", "--device", "p150"],
  ["optimize", SEGFORMER, "--device", "n300,p100"],
  ["simulate", BERT, "--device", "p150"],
  ["diff", BERT, "--policy-a", "dram", "--policy-b", "beam"],
  ["diff", RESNET, "--policy-a", "greedy-l1-interleaved", "--policy-b", "greedy"],
  ["explain", RESNET, "--op", "20", "--policy", "beam"],
  ["explain", BERT, "--op", "7", "--policy", "greedy"],
  ["doctor", RESNET, "--op", "9"],
  [
    "doctor",
    "--message",
    "circular buffers in program 7 clash with L1 buffers on core range [(x=0,y=0) - (x=3,y=7)]. L1 buffer allocated " +
    "at 665600 and static circular buffer region ends at 890144",
  ],
  ["bench", SEGFORMER, "--policies", "dram,df-sharding"],
  ["lint", BERT],
  ["ops"],
  ["ops", "--uncovered", RESNET],
  ["devices"],
  ["simulate", "--print-config"],
  ["layout", "tensor<32x64xbf16>", "--sharding", "height", "--grid", "2x1"],
];

for (const args of COMMAND_LINES) {
  Deno.test(`${args.join(" ").slice(0, 80)} --json prints what its schema says`, async () => {
    const document = await printedDocument(args);
    assert(typeof document === "object" && document !== null && "schema" in document);
    const path = join(PROJECT_ROOT, "docs", "schema", schemaFile(String(document.schema)));
    assertEquals(validateJson(document, JSON.parse(await Deno.readTextFile(path))), []);
  });
}
