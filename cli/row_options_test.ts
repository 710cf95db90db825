// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { parse } from "@std/csv/parse";
import { printedDocument } from "../tools/json_schemas.ts";
import { SCHEMA_INPUTS } from "../tools/schema_inputs.ts";
import { EXIT } from "./command.ts";
import { COMMANDS } from "./command_table.ts";
import { ROW_OPTIONS } from "./commands/row_options.ts";
import { runCommandLine } from "./dispatch.ts";
import { createProjectHost } from "./testing/project_host.ts";

const MNIST = "testdata/models/mnist.mlir";

/** Command lines with several rows, and where these are in the document, by command with options that select rows. */
const SAMPLES: Readonly<Record<string, readonly (readonly [path: string, ...args: readonly string[]])[]>> = {
  optimize: [["rows", "optimize", MNIST, "--policy", "greedy"]],
  simulate: [["rows", "simulate", MNIST]],
  diff: [
    ["changes", "diff", MNIST, "--policy-a", "dram", "--policy-b", "greedy"],
    ["ops", "diff", MNIST, "testdata/profiles/mnist.csv"],
  ],
  explain: [
    ["candidates", "explain", MNIST, "--op", "1", "--policy", "greedy"],
    ["regions", "explain", MNIST, "--gap", "--policy", "greedy"],
  ],
  advise: [["saving", "advise", MNIST, "--policy", "dram", "--same-numbers"]],
  doctor: [["diagnoses.remedies", "doctor", "crowded.mlir"]],
  price: [["devices.ways", "price", "softmax", "64x64"]],
};

/** Rows of the tables that a command line draws. */
async function tableRows(args: readonly string[]): Promise<number> {
  const host = createProjectHost({ files: SCHEMA_INPUTS });
  const code = await runCommandLine([...args, "--csv"], host, "0.0.0", COMMANDS);
  assert(code === EXIT.ok || code === EXIT.finding, host.err());
  return parse(host.out()).length;
}

/** Length of the list at a path of keys, of the first item of each list on the way. */
function lengthAt(document: unknown, path: string): number {
  let part = document;
  for (const key of path.split(".")) {
    const item: unknown = Array.isArray(part) ? part[0] : part;
    part = typeof item === "object" && item !== null ? Reflect.get(item, key) : undefined;
  }
  assert(Array.isArray(part), `a list at ${path}`);
  return part.length;
}

Deno.test("every command with options that select rows has a sample here", () => {
  const names = ROW_OPTIONS.map(({ name }) => name);
  assertEquals(
    COMMANDS.filter(({ options }) => options.some(({ name }) => names.includes(name))).map(({ name }) => name)
      .sort(),
    Object.keys(SAMPLES).sort(),
  );
});

for (const [path, ...args] of Object.values(SAMPLES).flat()) {
  Deno.test(`${args.join(" ")}: --top selects rows of the table and of --json alike`, async () => {
    assert(await tableRows([...args, "--top", "1"]) < await tableRows([...args, "--top", "0"]));
    const rows = async (top: string) => lengthAt(await printedDocument([...args, "--top", top]), path);
    assertEquals(await rows("1"), 1);
    assert(await rows("0") > 1);
  });
}
