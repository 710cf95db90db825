// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { idOf } from "../../../testing/ids.ts";
import { present } from "../../../testing/present.ts";
import type { OpId } from "../../graph/graph.ts";
import { simulateL1Schedule } from "../../memory/l1_timeline.ts";
import { type L1Region, l1Region } from "../../memory/l1_schedule.ts";
import type { LayoutId } from "../../layout/layout_table.ts";
import type { TensorShape } from "../../ops/op_signature.ts";
import { realStudy } from "../../propagation/testing/real_study.ts";
import { interleavedAssignment } from "../../search/interleaved_assignment.ts";
import { LayoutProgram } from "../../search/layout_program.ts";
import { ITSELF } from "../../search/program.ts";
import { improve } from "../improve.ts";
import { changeSource } from "./change_source.ts";

const moves = [changeSource];

const SQUARE: TensorShape = { shape: [1024, 1024], dataType: "bf16" };

/**
 * An argument in DRAM, read by gelu and by silu; gelu, which comes first or last, reads a copy in L1.
 * Optionally an op that cannot move comes before them.
 */
function readTwice(copyOf: "first" | "second", behindUnknown = false) {
  const study = realStudy((builder) => {
    const image = builder.argument(SQUARE);
    if (behindUnknown) builder.op("ttnn.nobody_knows", [builder.argument(SQUARE)], SQUARE);
    const parts = ["ttnn.gelu", "ttnn.silu"].map((name) => builder.op(name, [image], SQUARE));
    builder.return(builder.op("ttnn.add", parts, SQUARE));
  });
  const { evaluator, roles } = study;
  const program = LayoutProgram.fromAssignment(
    evaluator,
    interleavedAssignment(evaluator, roles, "dram", Infinity),
  );
  const reader: OpId = idOf((copyOf === "first" ? 0 : 1) + (behindUnknown ? 1 : 0));
  const [image] = evaluator.op(reader).operands;
  const l1 = evaluator.interleaved(SQUARE, present(evaluator.declared[0]), "l1");
  const copy = program.addCopy({
    value: present(image),
    source: ITSELF,
    layout: l1,
    before: reader,
    reason: "reshard",
    note: "test",
  });
  program.setSource(reader, 0, copy);
  return { program, roles, copy, region: l1Region(evaluator.opModel.chip, 0.95, 0) };
}

const sourcesOf = (program: LayoutProgram): readonly unknown[] =>
  program.ops.slice(0, 2).map(({ sources }) => sources[0]);

Deno.test("changeSource lets ops read one instance if that takes less time", () => {
  const { program, roles, copy, region } = readTwice("first");
  const before = program.microseconds();
  assert(improve(program, "placed", { roles, region, moves }) > 0);
  assert(program.microseconds() < before);
  assertEquals(program.faults(roles), 0);
  assertEquals(simulateL1Schedule(program.l1Schedule(program.steps()), region).failures, []);
  const [first, second] = sourcesOf(program);
  assertEquals(first, second, "the copy is shared, or nobody needs it");
  assert(first === copy || first === ITSELF);
});

Deno.test("changeSource continues after an immovable op", () => {
  const { program, roles, region } = readTwice("first", true);
  assert(improve(program, "placed", { roles, region, moves }) > 0);
});

Deno.test("changeSource offers no later copy, and adds no step that lacks room", () => {
  const late = readTwice("second");
  improve(late.program, "placed", { ...late, moves });
  assert(sourcesOf(late.program)[0] !== late.copy);
  const { program, roles, region } = readTwice("first");
  const none: L1Region = { ...region, base: region.top, budget: 0 };
  const failures = simulateL1Schedule(program.l1Schedule(program.steps()), none).failures.length;
  improve(program, "placed", { roles, region: none, moves });
  assert(simulateL1Schedule(program.l1Schedule(program.steps()), none).failures.length <= failures);
});

Deno.test("changeSource makes a copy from another one if that takes less time", () => {
  const { evaluator, roles } = realStudy((builder) => {
    const image = builder.argument(SQUARE);
    const parts = ["ttnn.gelu", "ttnn.silu"].map((name) => builder.op(name, [image], SQUARE));
    builder.return(builder.op("ttnn.add", parts, SQUARE));
  });
  const declared = present(evaluator.declared[0]);
  const program = LayoutProgram.fromAssignment(
    evaluator,
    interleavedAssignment(evaluator, roles, "dram", Infinity),
  );
  const image = present(evaluator.op(idOf(0)).operands[0]);
  const shards = evaluator.catalog.reshardTargets(SQUARE, declared);
  // Each op reads shards; those of the second one take longest from DRAM and least from the shards of the first one.
  const gain = (from: LayoutId, to: LayoutId): number =>
    evaluator.copyMicroseconds(image, declared, to) - evaluator.copyMicroseconds(image, from, to);
  const pairs = shards.flatMap((from) => shards.map((to) => [from, to] as const))
    .filter(([from, to]) => from !== to && gain(from, to) < Infinity);
  const [first, second] = present(pairs.toSorted((a, b) => gain(...b) - gain(...a))[0]);
  assert(gain(first, second) > 0);
  for (const [op, layout] of [[idOf(0), first], [idOf(1), second]] as const) {
    const impl = present(evaluator.impls(op, [layout]).find(({ outputs }) => outputs[0] === layout));
    const copy = program.addCopy({
      value: image,
      source: ITSELF,
      layout,
      before: op,
      reason: "reshard",
      note: "test",
    });
    program.setSource(op, 0, copy);
    program.setOutputs(op, impl, "test", false);
  }
  const fixed = { ...roles, decided: roles.decided.map(() => false) };
  assertEquals(
    improve(program, "placed", { roles: fixed, region: l1Region(evaluator.opModel.chip, 0.95, 0), moves }),
    1,
  );
  assertEquals(program.layoutOf(image, present(program.copies.at(-1)).source), first);
});

Deno.test("changeSource makes a copy from one that its own reader no longer prefers", () => {
  const { evaluator, roles } = realStudy((builder) => {
    const image = builder.argument(SQUARE);
    const parts = ["ttnn.relu", "ttnn.abs"].map((name) => builder.op(name, [image], SQUARE));
    builder.return(builder.op("ttnn.add", parts, SQUARE));
  });
  const declared = present(evaluator.declared[0]);
  const image = present(evaluator.op(idOf(0)).operands[0]);
  const copyUs = (from: LayoutId, to: LayoutId): number => evaluator.copyMicroseconds(image, from, to);
  const implFrom = (op: OpId, layout: LayoutId) =>
    evaluator.impls(op, [layout]).find(({ outputs }) => outputs[0] === declared);
  const [relu, abs]: [OpId, OpId] = [idOf(0), idOf(1)];
  /** µs that relu saves by reading the image itself. */
  const savedUs = (layout: LayoutId): number =>
    copyUs(declared, layout) + (implFrom(relu, layout)?.microseconds ?? Infinity) -
    present(implFrom(relu, declared)).microseconds;
  const shards = evaluator.catalog.reshardTargets(SQUARE, declared);
  const [first, second] = present(
    shards.flatMap((from) => shards.map((to) => [from, to] as const)).find(([from, to]) =>
      savedUs(from) > 0 && implFrom(abs, to) !== undefined &&
      copyUs(declared, to) - copyUs(from, to) > savedUs(from)
    ),
  );
  const program = LayoutProgram.fromAssignment(
    evaluator,
    interleavedAssignment(evaluator, roles, "dram", Infinity),
  );
  for (const [op, layout] of [[relu, first], [abs, second]] as const) {
    const copy = {
      value: image,
      source: ITSELF,
      layout,
      before: op,
      reason: "reshard",
      note: "test",
    } as const;
    program.setSource(op, 0, program.addCopy(copy));
    program.setOutputs(op, present(implFrom(op, layout)), "test", false);
  }
  const reluAlone = { ...roles, decided: roles.decided.map((_, op) => op === relu) };
  improve(program, "placed", { roles: reluAlone, region: l1Region(evaluator.opModel.chip, 0.95, 0), moves });
  assertEquals(program.layoutOf(image, present(program.copies.at(-1)).source), first);
});

Deno.test("changeSource moves readers to a result's new layout", () => {
  const { evaluator, roles } = realStudy((builder) => {
    const image = builder.argument(SQUARE);
    builder.return(builder.op("ttnn.silu", [builder.op("ttnn.rms_norm", [image], SQUARE)], SQUARE));
  });
  const norm: OpId = idOf(0);
  const silu: OpId = idOf(1);
  const declared = present(evaluator.declared[0]);
  const program = LayoutProgram.fromAssignment(
    evaluator,
    interleavedAssignment(evaluator, roles, "dram", Infinity),
  );
  // Shards for a norm that does not need them, as left over from an L1 limit that no longer applies: it
  // produces shards only from shards.
  const layout = present(
    evaluator.catalog.reshardTargets(SQUARE, declared).find((id) =>
      evaluator.impls(norm, [id]).some(({ outputs }) => outputs[0] === id) &&
      evaluator.impls(silu, [id]).some(({ outputs }) => outputs[0] === declared)
    ),
  );
  const copy = program.addCopy({
    value: present(evaluator.op(norm).operands[0]),
    source: ITSELF,
    layout,
    before: norm,
    reason: "reshard",
    note: "test",
  });
  const impl = (op: OpId, output: LayoutId) =>
    present(evaluator.impls(op, [layout]).find(({ outputs }) => outputs[0] === output));
  program.setSource(norm, 0, copy);
  program.setOutputs(norm, impl(norm, layout), "test", false);
  program.setOutputs(silu, impl(silu, declared), "test", false);
  const before = program.microseconds();
  assert(
    improve(program, "placed", { roles: roles, region: l1Region(evaluator.opModel.chip, 0.95, 0), moves }) >
      0,
  );
  assert(program.microseconds() < before);
  assertEquals(program.faults(roles), 0);
  assert(!program.usedCopies().includes(true), "norm reads the argument, silu what norm makes of it");
});
