// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { idOf } from "../../testing/ids.ts";
import { present } from "../../testing/present.ts";
import { simulateL1Schedule } from "../memory/l1_timeline.ts";
import { type L1Region, l1Region } from "../memory/l1_schedule.ts";
import type { TensorShape } from "../ops/op_signature.ts";
import type { ConversionReason } from "../plan/plan.ts";
import { realStudy } from "../propagation/testing/real_study.ts";
import { interleavedAssignment } from "../search/interleaved_assignment.ts";
import type { OpRoles } from "../search/op_roles.ts";
import { LayoutProgram } from "../search/layout_program.ts";
import { decisionFor, ITSELF, type Source } from "../search/program.ts";
import { isSpill } from "../spill/spill.ts";
import { improve } from "./improve.ts";
import { dropCopy } from "./moves.ts";

const readDirectly = (program: LayoutProgram, roles: OpRoles, region: L1Region): number =>
  improve(program, "spilled", { roles, region, moves: [dropCopy] });

/** As pass 2 does at its end. */
const takeBack = (program: LayoutProgram, roles: OpRoles, region: L1Region): number =>
  improve(program, "spilled", { roles, region, mayChange: isSpill });

const TENSOR: TensorShape = { shape: [2048, 2048], dataType: "bf16" };
const [NEG, RELU, , LAST] = [idOf(0), idOf(1), idOf(2), idOf(3)] as const;

/**
 * `last` reads what `neg` produced long before; everything is L1 interleaved. `neg` may be returned together
 * with `last`.
 */
function longLived(returnsNeg = false) {
  const { evaluator, roles } = realStudy((builder) => {
    const neg = builder.op("ttnn.neg", [builder.argument(TENSOR)], TENSOR);
    const relu = builder.op("ttnn.relu", [neg], TENSOR);
    const sum = builder.op("ttnn.add", [relu, relu], TENSOR);
    const last = builder.op("ttnn.add", [sum, neg], TENSOR);
    builder.return(...(returnsNeg ? [neg, last] : [last]));
  });
  const [inL1, inDram] = (["l1", "dram"] as const).map((buffer) =>
    LayoutProgram.fromAssignment(evaluator, interleavedAssignment(evaluator, roles, buffer, Infinity))
  );
  assert(inL1 !== undefined && inDram !== undefined);
  const [value] = evaluator.op(NEG).results;
  const layouts = [inDram, inL1].map((program) => present(program.layoutOf(present(value), ITSELF)));
  const [dram, l1] = [present(layouts[0]), present(layouts[1])];
  return { program: inL1, inDram, roles, value: present(value), dram, l1 };
}

type Study = ReturnType<typeof longLived>;

/** All of L1, or so little that `neg`, `relu` and their sum do not fit together. */
function regionOf({ program }: Study, share: 1 | 0.25): L1Region {
  const region = l1Region(program.evaluator.opModel.chip, 0.95, 0);
  const budget = share * region.budget;
  return { ...region, base: region.top - budget, budget };
}

/** Lets `last` read a copy of `neg`'s result that is made as soon as possible. */
function detour(
  study: Study,
  reason: ConversionReason,
  layout = study.dram,
  source: Source = ITSELF,
): Source {
  const { program, value } = study;
  const before = source === ITSELF ? RELU : LAST;
  const copy = program.addCopy({ value, source, layout, before, reason, note: "test" });
  program.setSource(LAST, 1, copy);
  return copy;
}

function failures({ program }: Study, region: L1Region): number {
  return simulateL1Schedule(program.l1Schedule(program.steps()), region).failures.length;
}

const sourceOfLast = ({ program }: Study): Source | undefined => decisionFor(program, LAST).sources[1];

Deno.test("dropCopy removes a copy in DRAM if all of its readers take the tensor in L1", () => {
  const study = longLived();
  const { program, roles } = study;
  detour(study, "reshard");
  const before = program.microseconds();
  assertEquals(readDirectly(program, roles, regionOf(study, 1)), 1);
  assertEquals(sourceOfLast(study), ITSELF);
  assert(program.microseconds() < before);
  assertEquals(program.faults(roles), 0);
});

Deno.test("dropCopy leaves a copy that makes room", () => {
  const study = longLived();
  const copy = detour(study, "reshard");
  const region = regionOf(study, 0.25);
  assertEquals(failures(study, region), 0);
  assertEquals(readDirectly(study.program, study.roles, region), 0);
  assertEquals(sourceOfLast(study), copy);
});

for (const reason of ["override", "return"] as const) {
  Deno.test(`dropCopy keeps requested copies: ${reason}`, () => {
    const study = longLived();
    const copy = detour(study, reason);
    assertEquals(readDirectly(study.program, study.roles, regionOf(study, 1)), 0);
    assertEquals(sourceOfLast(study), copy);
  });
}

Deno.test("after spills, improve() takes a spill back with its reload", () => {
  const study = longLived();
  const { program, roles, value } = study;
  detour(study, "reload", study.l1, detour(study, "spill"));
  assertEquals(takeBack(program, roles, regionOf(study, 1)), 1);
  assertEquals(sourceOfLast(study), ITSELF);
  assertEquals(program.usedCopiesOf(value).size, 0);
  assertEquals(program.faults(roles), 0);
});

Deno.test("after spills, improve() leaves a spill that makes room", () => {
  const study = longLived();
  const { program, roles } = study;
  const spill = detour(study, "spill");
  const region = regionOf(study, 0.25);
  assertEquals(failures(study, region), 0);
  assertEquals(takeBack(program, roles, region), 0);
  assertEquals(sourceOfLast(study), spill);
});

Deno.test("after spills, improve() takes back spills alone", () => {
  const study = longLived();
  const copy = detour(study, "reshard");
  assertEquals(takeBack(study.program, study.roles, regionOf(study, 1)), 0);
  assertEquals(sourceOfLast(study), copy);
});

Deno.test("after spills, improve() makes a result in L1 again, and its reload is the result", () => {
  const study = longLived();
  const { program, roles, value } = study;
  program.setOutputs(NEG, decisionFor(study.inDram, NEG), "made in DRAM", true);
  detour(study, "reload", study.l1);
  assertEquals(takeBack(program, roles, regionOf(study, 1)), 1);
  assertEquals(program.layoutOf(value, ITSELF), study.l1);
  assertEquals(sourceOfLast(study), ITSELF);
  assertEquals(decisionFor(program, NEG).isSpilled, false);
});

Deno.test("after spills, improve() leaves a result in DRAM that has no room in L1", () => {
  const study = longLived();
  const { program, roles, value } = study;
  program.setOutputs(NEG, decisionFor(study.inDram, NEG), "made in DRAM", true);
  const region = regionOf(study, 0.25);
  assertEquals(failures(study, region), 0);
  assertEquals(takeBack(program, roles, region), 0);
  assertEquals(program.layoutOf(value, ITSELF), study.dram);
});

Deno.test("after spills, improve() keeps a returned result in DRAM", () => {
  const study = longLived(true);
  const { program, roles, value } = study;
  program.setOutputs(NEG, decisionFor(study.inDram, NEG), "made in DRAM", true);
  program.setResult(0, ITSELF);
  assertEquals(takeBack(program, roles, regionOf(study, 1)), 0);
  assertEquals(program.layoutOf(value, ITSELF), study.dram);
});
