// SPDX-License-Identifier: Apache-2.0
import { GraphBuilder } from "../../../testing/graph_builder.ts";
import { present } from "../../../testing/present.ts";
import type { GraphFunction, ValueId } from "../../graph/graph.ts";
import { type L1Region, l1Region } from "../../memory/l1_schedule.ts";
import { TOY_CHIP, ToyCostModel, ToyOpModel, type ToyRule } from "../../propagation/testing/toy_models.ts";
import { interleavedAssignment } from "../../search/interleaved_assignment.ts";
import { LayoutProgram } from "../../search/layout_program.ts";
import type { TensorShape } from "../../ops/op_signature.ts";
import { OpEvaluator } from "../../search/op_evaluator.ts";
import { type OpRoles, opRoles } from "../../search/op_roles.ts";

const SAME: TensorShape = { shape: [1024, 1024], dataType: "bf16" };

/** A tensor of this many KiB per core (an even number), interleaved over the 64 cores of the toy chip. */
export function tensorOfKib(kib: number): TensorShape {
  return { shape: [kib * 32, 1024], dataType: "bf16" };
}

/** One op of a scenario: KiB per core of its result, names of its operands, KiB of its circular buffers. */
export interface ScenarioOp {
  readonly name: string;
  readonly size: number;
  readonly reads?: readonly string[];
  readonly buffers?: number;
  readonly view?: boolean;
  /** Always produces its result in DRAM. */
  readonly dram?: boolean;
  /** Accepts no operand in DRAM. */
  readonly readsL1?: boolean;
}

/** A scenario as a program to spill. */
export interface Scenario {
  readonly fn: GraphFunction;
  readonly evaluator: OpEvaluator;
  readonly program: LayoutProgram;
  readonly roles: OpRoles;
  readonly region: L1Region;
  /** Values by the name of the op that makes them; `x` is the argument. */
  readonly values: ReadonlyMap<string, ValueId>;
}

/**
 * A program with everything L1 interleaved and a budget in KiB; ops without reads read the argument. It uses
 * toy models, because upstream's tests prescribe bytes per op that no real op needs: by default all tensors
 * have one shape, independent of the bytes that their ops claim.
 */
export function scenarioProgram(
  budget: number,
  ops: readonly ScenarioOp[],
  tensorOf: (kib: number) => TensorShape = () => SAME,
): Scenario {
  const builder = new GraphBuilder();
  const values = new Map<string, ValueId>([["x", builder.argument(SAME)]]);
  const rules: Record<string, ToyRule> = { "ttnn.to_memory_config": { circularBufferBytes: () => 0 } };
  for (const op of ops) {
    const reads = (op.reads ?? ["x"]).map((name) => present(values.get(name)));
    rules[`ttnn.${op.name}`] = {
      resultBytes: op.size * 1024,
      circularBufferBytes: () => (op.buffers ?? 0) * 1024,
      ...(op.view === true ? { viewOf: 0, primary: "none" } : {}),
      ...(op.dram === true ? { legal: (_inputs, output) => output.bufferType === "dram" } : {}),
      ...(op.readsL1 === true
        ? { legal: (inputs) => inputs.every((input) => input?.bufferType === "l1") }
        : {}),
    };
    values.set(op.name, builder.op(`ttnn.${op.name}`, reads, tensorOf(op.size)));
  }
  const fn = builder.build();
  const chip = { ...TOY_CHIP, l1Size: budget * 1024 };
  const opModel = new ToyOpModel(rules, chip);
  const evaluator = new OpEvaluator(fn, opModel, new ToyCostModel(opModel.layouts, chip), {
    maxLegalLayouts: 64,
    maxReshardCandidatesPerType: 4,
    enableL1ShardingLayouts: true,
    rowMajorEnabled: false,
  });
  const roles = opRoles(evaluator);
  const assignment = interleavedAssignment(evaluator, roles, "l1", Infinity);
  const program = LayoutProgram.fromAssignment(evaluator, assignment);
  return { fn, evaluator, program, roles, region: l1Region(chip, 1, 0), values };
}
