// SPDX-License-Identifier: Apache-2.0

/**
 * Records what tt-mlir's compiler decides on the networks of testdata/upstream/nets.py: per device and network the graph
 * before the compiler's optimizer (`NAME.mlir`) and a table of its decisions (`NAME.tsv`). The same compiler gives the
 * same bytes. How the compiler is run without a board is in testdata/upstream/README.md.
 *
 * Usage: `TILEWRIGHT_UPSTREAM=COMMAND deno task record:upstream [--device n150,p150] [--only NAME,…]`, or with
 * `--made FOLDER` from what the command wrote before, a folder per device.
 *
 * @module
 */

import { parseArgs } from "@std/cli/parse-args";
import { join } from "@std/path";
import { writeDecisions, writtenDecisions } from "./upstream_decisions.ts";
import { ROOT } from "./steps.ts";

const FOLDER = join(ROOT, "testdata", "upstream");
const NETWORKS = join(FOLDER, "nets.py");

const options = parseArgs(Deno.args, {
  string: ["device", "only", "made"],
  default: { device: "n150,p150" },
});

/** Networks by name, in the order of the file. */
function networks(): readonly string[] {
  const listed =
    /NETS = \{f\.__name__: f for f in \[([^\]]*)\]\}/.exec(Deno.readTextFileSync(NETWORKS))?.[1] ?? "";
  const names = listed.split(",").map((name) => name.trim()).filter((name) => name !== "");
  const only = options.only?.split(",");
  return only === undefined ? names : names.filter((name) => only.includes(name));
}

/** Runs the compiler on one network; it writes to the folder. */
async function compile(device: string, name: string, out: string): Promise<void> {
  const command = Deno.env.get("TILEWRIGHT_UPSTREAM");
  if (command === undefined) {
    throw new Error("Cannot compile: TILEWRIGHT_UPSTREAM names no command, see testdata/upstream/README.md");
  }
  const args = [device, "--level", "2", "--stages", "--file", NETWORKS, "--out", out, name];
  const { success } = await new Deno.Command(command, { args, stdout: "inherit", stderr: "inherit" })
    .output();
  if (!success) throw new Error(`Cannot record ${name}: ${command} ${args.join(" ")} failed`);
}

for (const device of options.device.split(",")) {
  const target = join(FOLDER, device);
  await Deno.mkdir(target, { recursive: true });
  for (const name of networks()) {
    const out = options.made === undefined ? await Deno.makeTempDir() : join(options.made, device);
    if (options.made === undefined) await compile(device, name, out);
    const made = await Deno.readTextFile(join(out, `${name}.o2.ttnn.mlir`));
    const decisions = writtenDecisions(made, `${name}.mlir`);
    await Deno.writeTextFile(join(target, `${name}.tsv`), writeDecisions(decisions));
    await Deno.copyFile(join(out, `${name}.o2.before.mlir`), join(target, `${name}.mlir`));
    console.log(`${device}/${name}: ${decisions.length} ops`);
  }
}
