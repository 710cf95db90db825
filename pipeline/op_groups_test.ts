// SPDX-License-Identifier: Apache-2.0
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { DEFAULT_PASS_OPTIONS } from "../lib/passes/pass_options.ts";
import { simulateGraph } from "../sim/timeline/simulate.ts";
import { corpusFiles, corpusTest, PROJECT_ROOT } from "../testing/corpus.ts";
import { type DiffReport, diffSides } from "./diff.ts";
import { type DiffOp, type DiffSide, sideOfTimeline } from "./diff_side.ts";
import { loadModule } from "./load_module.ts";
import { matchOps } from "./match_ops.ts";
import type { OpGroup } from "./op_groups.ts";

/** Ops by name with what each reads; the last is returned, `in` is matched and stands before them all. */
function opsOf(...program: readonly (readonly [name: string, ...reads: number[]])[]): readonly DiffOp[] {
  const readers = (id: number) =>
    program.flatMap(([, ...reads], op) =>
      reads.flatMap((read, operand) => read === id ? [{ op, operand, isSole: reads.length === 1 }] : [])
    );
  return program.map(([name], id): DiffOp => ({
    key: name,
    function: "forward",
    name: `ttnn.${name}`,
    shape: "32x32",
    location: "",
    layouts: [],
    config: "",
    us: id,
    id,
    conversions: [],
    readers: id === program.length - 1 ? [{ op: undefined, operand: 0, isSole: false }] : readers(id),
  }));
}

function told(groups: readonly OpGroup[]): readonly (readonly string[])[] {
  const names = (ops: readonly DiffOp[]): string => ops.map(({ name }) => name.slice(5)).join(" ");
  return groups.map(({ a, b }) => [names(a), names(b)]);
}

const APART = opsOf(["in"], ["qk", 0, 0], ["softmax", 1], ["pv", 2, 0], ["out", 3]);
const FUSED = opsOf(["in"], ["attention", 0, 0, 0], ["out", 1]);

Deno.test("ops that give a matched op its operand belong to the op that gives it on the other side", () => {
  assertEquals(told(matchOps(APART, FUSED).groups), [["qk softmax pv", "attention"]]);
  assertEquals(told(matchOps(FUSED, APART).groups), [["attention", "qk softmax pv"]]);
});

Deno.test("ops that give a result of the function belong together, and a joined product to those it joins", () => {
  assertEquals(told(matchOps(opsOf(["in"], ["pow", 0], ["mean", 1]), opsOf(["in"], ["norm", 0])).groups), [
    ["pow mean", "norm"],
  ]);
  const apart = opsOf(["in"], ["q", 0], ["k", 0], ["add", 1, 2]);
  const joined = opsOf(["in"], ["qk", 0], ["low", 1], ["high", 1], ["add", 2, 3]);
  assertEquals(told(matchOps(apart, joined).groups), [["q k", "qk low high"]]);
});

Deno.test("an op that gives another value than the lone op beside it stays alone", () => {
  // The other operand, an op that one side inserts, and one that ops outside the group read too.
  const left = opsOf(["in"], ["exp", 0], ["add", 1, 0]);
  const right = opsOf(["in"], ["neg", 0], ["add", 0, 1]);
  assertEquals(matchOps(left, right).groups, []);
  assertEquals(matchOps(left, opsOf(["in"], ["add", 0, 0])).groups, []);
  const shared = opsOf(["in"], ["cast", 0], ["exp", 1], ["add", 2, 0], ["out", 3, 1]);
  const other = opsOf(["in"], ["sigmoid", 0], ["add", 1, 0], ["out", 2, 0]);
  assertEquals(told(matchOps(shared, other).groups), [["exp", "sigmoid"]]);
});

Deno.test("an op taken over by a matched one belongs to its group only if that differs from its match", () => {
  const folded = (key: string): readonly DiffOp[] =>
    opsOf(["in"], ["conv2d", 0], ["out", 1]).map((op) => op.name === "ttnn.conv2d" ? { ...op, key } : op);
  const apart = opsOf(["in"], ["conv2d", 0], ["batch_norm", 1], ["relu", 2], ["out", 3]);
  assertEquals(told(matchOps(apart, folded("conv2d|bias")).groups), [["conv2d batch_norm relu", "conv2d"]]);
  assertEquals(told(matchOps(folded("conv2d|bias"), apart).groups), [["conv2d", "conv2d batch_norm relu"]]);
  assertEquals(matchOps(apart, folded("conv2d")).groups, []);
  // Here the convolution's own result is read besides: the other side cannot have taken over what is behind it.
  const shared = opsOf(["in"], ["conv2d", 0], ["batch_norm", 1], ["relu", 2], ["add", 3, 1]);
  const joined = opsOf(["in"], ["conv2d", 0], ["add", 1, 1])
    .map((op) => op.name === "ttnn.conv2d" ? { ...op, key: "conv2d|bias" } : op);
  assertEquals(matchOps(shared, joined).groups, []);
});

Deno.test("ops with unknown readers are not grouped by readers", () => {
  const unknown = APART.map((op) => ({ ...op, readers: undefined }));
  assertEquals(matchOps(unknown, FUSED).groups, []);
});

Deno.test("an op named in its predecessor's config belongs to it, even with unknown readers", () => {
  const unread = (ops: readonly DiffOp[]) => ops.map((op) => ({ ...op, readers: undefined }));
  const apart = unread(opsOf(["in"], ["linear", 0], ["relu", 1], ["out", 2]));
  const folded = (key: string) =>
    unread(opsOf(["in"], ["linear", 0], ["out", 1])).map((op) =>
      op.name === "ttnn.linear" ? { ...op, key } : op
    );
  assertEquals(told(matchOps(apart, folded('linear|activation = "relu"')).groups), [[
    "linear relu",
    "linear",
  ]]);
  assertEquals(matchOps(apart, folded('linear|activation = "relu6"')).groups, []);
});

function sideOf(path: string, passes: "none" | typeof DEFAULT_PASS_OPTIONS): DiffSide {
  const workbench = loadModule(Deno.readTextFileSync(path), { device: "n150", passes });
  const { graph } = workbench.binding;
  return sideOfTimeline(path, graph, undefined, simulateGraph(graph, undefined, workbench));
}

/** Every op of both sides is in one row or in a pair without a difference; rows carry all of the difference. */
function assertComplete(report: DiffReport): void {
  const seen = new Set<DiffOp>();
  let [aUs, bUs] = [0, 0];
  const cost = (op: DiffOp): number => op.conversions.reduce((sum, { us }) => sum + us, op.us ?? NaN);
  for (const change of report.changes) {
    for (
      const [ops, us] of [
        [change.group?.a ?? [change.a], change.aUs],
        [change.group?.b ?? [change.b], change.bUs],
      ] as const
    ) {
      const present = ops.filter((op) => op !== undefined);
      for (const op of present) {
        assert(!seen.has(op), `${op.name} ${op.id} is in two rows`);
        seen.add(op);
      }
      assertAlmostEquals(us ?? NaN, present.reduce((sum, op) => sum + cost(op), 0), 1e-6);
    }
    aUs += change.aUs ?? NaN;
    bUs += change.bUs ?? NaN;
  }
  const equivalent = (side: DiffSide): readonly DiffOp[] => side.ops.filter((op) => !seen.has(op));
  assertEquals(
    equivalent(report.a).map(({ key }) => key).sort(),
    equivalent(report.b).map(({ key }) => key).sort(),
  );
  const rest = (side: DiffSide): number => equivalent(side).reduce((sum, op) => sum + cost(op), 0);
  assertAlmostEquals(aUs + rest(report.a), report.a.totalUs ?? NaN, 1e-3);
  assertAlmostEquals(bUs + rest(report.b), report.b.totalUs ?? NaN, 1e-3);
}

Deno.test("diffSides() groups the graph passes' changes of a decode layer, without losing time", () => {
  const path = join(PROJECT_ROOT, "testdata", "models", "llama_3_2_1b_decode.mlir");
  const report = diffSides(sideOf(path, "none"), sideOf(path, DEFAULT_PASS_OPTIONS));
  assertComplete(report);
  const fused = report.changes.filter(({ kinds }) => kinds.includes("fused"));
  assert(fused.some(({ group }) => group?.b.some(({ name }) => name === "ttnn.rotary_embedding")));
  assert(fused.every(({ group }) => group !== undefined && group.a.length > group.b.length));
});

corpusTest("diffSides() puts every op of a graph and of what passes made of it into one row", () => {
  let groups = 0;
  for (const path of corpusFiles("lowered/models").filter((_, index) => index % 12 === 5)) {
    const report = diffSides(sideOf(path, "none"), sideOf(path, DEFAULT_PASS_OPTIONS));
    assertComplete(report);
    groups += report.changes.filter(({ group }) => group !== undefined).length;
  }
  assert(groups > 0);
});
