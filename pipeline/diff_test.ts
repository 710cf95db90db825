// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { parseModule } from "../lib/ir/mod.ts";
import { getPolicy } from "../lib/policy/policies.ts";
import { DEFAULT_POLICY_OPTIONS } from "../lib/policy/options.ts";
import { getDevice } from "../sim/devices/device_registry.ts";
import { simulateGraph } from "../sim/timeline/simulate.ts";
import { corpusFiles, corpusTest, PROJECT_ROOT } from "../testing/corpus.ts";
import { diffSides } from "./diff.ts";
import { type DiffSide, sideOfTimeline } from "./diff_side.ts";
import { matchOps } from "./match_ops.ts";
import { createWorkbench } from "./load.ts";
import { optimizeModule } from "./optimize.ts";
import { targetOfModule } from "./target.ts";

function asWritten(text: string, label: string): DiffSide {
  const module = parseModule(text, label);
  const workbench = createWorkbench(module, targetOfModule(module).device);
  const { graph } = workbench.binding;
  return sideOfTimeline(label, graph, undefined, simulateGraph(graph, undefined, workbench));
}

/** The same program with other SSA names and layout aliases, its locations gone. Text in strings is left alone. */
function renamed(text: string): string {
  const aliases = new Set(
    [...text.matchAll(/^#(ttnn_layout\w*|layout\w*|loc\w*) = /gm)].map((match) => match[1]),
  );
  return text
    .replace(/^#loc\w* = .*$/gm, "")
    .replace(/ loc\((?:#loc\w*|unknown)\)/g, "")
    .replace(/"(?:[^"\\]|\\.)*"|%([A-Za-z_0-9]+)|#([\w$]+)/g, (whole, value, alias) => {
      if (value !== undefined) return `%renamed_${value}`;
      return alias !== undefined && aliases.has(alias) ? `#renamed_${alias}` : whole;
    });
}

function optimizedText(model: string): string {
  const text = Deno.readTextFileSync(join(PROJECT_ROOT, "testdata", "models", `${model}.mlir`));
  const policy = getPolicy("greedy");
  const workbench = createWorkbench(parseModule(text, model), getDevice("n150"));
  return optimizeModule(workbench, policy, DEFAULT_POLICY_OPTIONS).text;
}

for (const model of ["resnet50", "llama_3_2_1b_decode"]) {
  Deno.test(`diffSides() finds nothing between ${model} and itself under other names`, () => {
    const text = optimizedText(model);
    const other = renamed(text);
    assert(other !== text && !other.includes("%0 "));
    const report = diffSides(asWritten(text, "a"), asWritten(other, "b"));
    assertEquals(report.changes, []);
    assertEquals(report.deltaUs, 0);
  });
}

Deno.test("diffSides() finds one changed layout and nothing else", () => {
  const text = optimizedText("mnist");
  const side = asWritten(text, "a");
  const index = side.ops.findIndex((op) => op.name === "ttnn.relu");
  const changed: DiffSide = {
    ...side,
    ops: side.ops.map((op, at) => at === index ? { ...op, layouts: ["l1/width_sharded/1x8"] } : op),
  };
  const report = diffSides(side, changed);
  assertEquals(report.changes.map(({ kinds, a }) => [kinds, a?.name]), [[["layout"], "ttnn.relu"]]);
});

Deno.test("diffSides() survives an inserted op: only that op is new", () => {
  const side = asWritten(optimizedText("mnist"), "a");
  const [first] = side.ops;
  assert(first !== undefined);
  const inserted = { ...first, key: "ttnn.exp|new", name: "ttnn.exp" };
  const longer: DiffSide = { ...side, ops: [...side.ops.slice(0, 3), inserted, ...side.ops.slice(3)] };
  assertEquals(diffSides(side, longer).changes.map(({ kinds, b }) => [kinds, b?.name]), [[
    ["only_b"],
    "ttnn.exp",
  ]]);
});

corpusTest("diffSides() compares what upstream made of one graph at two levels", () => {
  const files = corpusFiles("dumps/ttnn").filter((path) => path.includes("prefix_conv1"));
  const [a, b] = ["opt0_irs_ttnn_z", "opt1_irs_ttnn_z"].map((part) =>
    files.find((path) => path.includes(part))
  );
  if (a === undefined || b === undefined) return;
  const report = diffSides(
    asWritten(Deno.readTextFileSync(a), "opt0"),
    asWritten(Deno.readTextFileSync(b), "opt1"),
  );
  // Most ops mean the same at both levels; an op without a partner is new or gone, never both at once.
  const alone = matchOps(report.a.ops, report.b.ops).pairs.filter((pair) => pair.includes(undefined)).length;
  assert(report.matched > report.a.ops.length / 2, `${report.matched} of ${report.a.ops.length} matched`);
  assertEquals(report.matched * 2 + alone, report.a.ops.length + report.b.ops.length);
});
