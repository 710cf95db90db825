// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { join, relative } from "@std/path";
import { PROJECT_ROOT } from "../testing/corpus.ts";
import { opNamesIn, TABLE_SIZE } from "../testing/op_names.ts";

/** Files that may list ops although they are not `lib/ops`, and what their list says that is no fact of the ops. */
const ALLOWED: ReadonlyMap<string, string> = new Map([
  ["lib/chains/build_chains.ts", "ops that tt-mlir's DF sharding policy puts into chains"],
  ["lib/chains/chain_oracle.ts", "ops that tt-mlir's shard solver treats apart"],
  ["lib/chains/l1_interleaved_fallback.ts", "ops that tt-mlir's fallback excludes"],
  ["lib/chains/merge_state.ts", "ops that tt-mlir's chain merging treats apart"],
  ["lib/dialect/memory_op_properties.ts", "how each op of a conversion is spelled"],
  ["lib/dialect/ttnn_profile.ts", "ops whose properties tell one generation from another"],
  ["lib/lowering/typed_composite.ts", "composites that upstream lowers under a condition, by condition"],
  ["lib/passes/prepare_convolution_weights.ts", "which ops prepare the weights of which convolution"],
  ["lib/passes/row_forms/row_groups.ts", "ops that regroup, cut or convert rows"],
  ["lib/passes/row_forms/row_op.ts", "which operands of an op are rows"],
  ["lib/passes/scalar_functions.ts", "ops whose function depends on a property"],
  ["lib/passes/merged_ops.ts", "ops that bring a result into another form behind the op that computes it"],
  ["lib/plan/conversion_chain.ts", "ops that a conversion is made of"],
  ["lib/precision/graph_error.ts", "ops that pass the errors of their operands on alike"],
  ["lib/programs/normalization/batch_norm.ts", "ops that ttnn launches for one of them"],
  ["lib/programs/ccl/collective.ts", "which path over the mesh an op takes"],
  ["lib/python/function_text.ts", "ops that are no call in Python"],
  ["lib/python/variable_names.ts", "words that variables of a program are called by"],
  ["lib/ttnn/older_names.ts", "names that ops had in older versions"],
  ["lib/ttnn/tensor_builder.ts", "ops that a builder has a method for"],
  ["pipeline/doctor/full_banks.ts", "ops between which the scores of attention are"],
  ["pipeline/backend_advice.ts", "ops that a setting of the backend is for"],
  ["pipeline/backend_answers/row_config.ts", "order of the arguments in tests of upstream"],
  ["pipeline/doctor/check_place.ts", "ops whose checks a file of tt-metal has"],
  ["pipeline/doctor/limit_subjects.ts", "ops that run in slices through DRAM"],
  ["sim/audit/accuracy_report.ts", "questions whose defaults the accuracy page shows"],
]);

/** Production files of a folder, with paths from the root of the project. */
function* sources(folder: string): Generator<string> {
  for (const entry of Deno.readDirSync(folder)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory && entry.name !== "testing") yield* sources(path);
    else if (entry.isFile && path.endsWith(".ts") && !path.endsWith("_test.ts")) yield path;
  }
}

/** Folders whose files are each about a few ops. */
const ABOUT_NAMED_OPS: readonly string[] = [
  "lib/ops/",
  "lib/passes/patterns/",
  "lib/python/calls/",
  "lib/python/capture/",
  "sim/audit/measured_ops/",
  "sim/audit/questions/",
];

Deno.test("no file outside of lib/ops keeps a table of ops", () => {
  const tables = ["lib", "sim", "pipeline", "cli"].flatMap((root) => [...sources(join(PROJECT_ROOT, root))])
    .filter((path) => opNamesIn(Deno.readTextFileSync(path)).length >= TABLE_SIZE)
    .map((path) => relative(PROJECT_ROOT, path).replaceAll("\\", "/"))
    // A pattern, and a reader of measurements, is about the ops that it names.
    .filter((path) => !ABOUT_NAMED_OPS.some((folder) => path.startsWith(folder)));
  assertEquals(tables.toSorted(), [...ALLOWED.keys()].toSorted());
});

Deno.test("opNamesIn() sees full names, lists of names and heads of entries, but no comments", () => {
  assertEquals(opNamesIn('const x = ["ttnn.relu", "ttnn.add", "ttnn.relu"];'), ["ttnn.relu", "ttnn.add"]);
  assertEquals(opNamesIn('const LIST = "exp log sqrt";'), ["ttnn.exp", "ttnn.log", "ttnn.sqrt"]);
  assertEquals(opNamesIn('const MAP = [["relu", "simple"], ["exp", "exp"]];'), ["ttnn.relu", "ttnn.exp"]);
  assertEquals(opNamesIn('// "ttnn.relu"\n/** "ttnn.add" */ const kind = "matmul", text = "add one";'), []);
});
