// SPDX-License-Identifier: Apache-2.0
import { tileBytes } from "../../layout/data_type.ts";
import { isSharded, type TtnnLayout } from "../../layout/ttnn_layout.ts";
import type { MatmulExtents } from "../../programs/matmul_auto_config.ts";
import { isRowVector } from "../../programs/matmul.ts";
import type {
  ComputeKernelConfig,
  MatmulProgramConfig,
  OpSpecificAttributes,
} from "../../op_config/op_config.ts";
import type { OpSignature } from "../../ops/op_signature.ts";
import type { InvalidConstraints } from "../op_model.ts";
import { DRAM_INTERLEAVED, intern, placeOutput, shardedLayout } from "../place_output.ts";
import { type ConstraintQuery, defineRule, type RuleContext, type RulesOf } from "../rule.ts";
import { reportedL1Bytes, type Tensor } from "../tensor.ts";
import {
  accept,
  describeTensor,
  isRefusal,
  refuse,
  refuseConfig,
  refuseLayout,
  type RuleAnswer,
} from "../verdict.ts";
import { operandAt } from "./program.ts";
import { checkMatmulConfig } from "./matmul_config_checks.ts";
import { autoProgram, type MatmulChoice, programOfConfig } from "./matmul_program.ts";
import { matmulExtents } from "./matmul_extents.ts";

const SOURCE = "tt-metal:matmul";

function evaluateMatmul(query: ConstraintQuery, context: RuleContext): RuleAnswer {
  const { op } = query;
  const a = operandAt(query, 0);
  const b = operandAt(query, 1);
  const bias = query.operands[2];

  const operandFault = checkOperandLayouts(op, [a, b, bias]);
  if (operandFault !== undefined) return operandFault;
  const extents = matmulExtents(op);
  if ("status" in extents) return extents;
  const batchFault = checkBatches(query, extents);
  if (batchFault !== undefined) return batchFault;

  const addedBias = bias !== undefined && !isRowVector(bias.shape) ? bias : undefined;
  const compute = computeConfigOf(query);
  const outType = query.hint?.dataType ?? op.results[0]?.dataType ?? a.layout.dataType;
  const explicit = programConfigOf(query);
  const program = explicit === undefined
    ? autoProgram({
      name: op.name,
      a,
      b,
      bias,
      output: query.hint ?? DRAM_INTERLEAVED,
      outTileBytes: tileBytes(outType),
      extents,
      compute,
    }, context)
    : programOfConfig(explicit, extents);
  if (isRefusal(program)) return program;
  if (program.config !== undefined) {
    const fault = checkMatmulConfig({
      name: op.name,
      config: program.config,
      a,
      b,
      hint: query.hint,
      extents,
      compute,
    }, context);
    if (fault !== undefined) return fault;
  }
  const produced = placeProduct(query, context, program, a);
  if (isRefusal(produced)) return produced;
  const config: OpSpecificAttributes | undefined = program.config === undefined ? undefined : {
    kind: "matmul",
    programConfig: program.config,
    ...(compute === undefined ? {} : { computeConfig: compute }),
  };
  return addedBias === undefined
    ? accept({ outputs: [produced], config }, context)
    : addBias(query, context, { produced, config });
}

/** Everything in tiles, and B not in shards of L1. */
function checkOperandLayouts(
  op: OpSignature,
  operands: readonly (Tensor | undefined)[],
): InvalidConstraints | undefined {
  for (const [index, operand] of operands.entries()) {
    if (operand !== undefined && operand.layout.tile === undefined) {
      return refuseLayout(op, "matmul/tile", `${describeTensor(index, operand)} must be tiled`, SOURCE);
    }
  }
  const b = operands[1];
  if (b === undefined || !isSharded(b.layout) || b.layout.bufferType !== "l1") return undefined;
  return refuseLayout(
    op,
    "matmul/sharded-b",
    `${describeTensor(1, b)} must be interleaved; multicast programs read B from interleaved pages`,
    SOURCE,
  );
}

/** A bias that is no row vector is added by a separate binary program: the product stays alive beside the sum. */
function addBias(
  query: ConstraintQuery,
  context: RuleContext,
  matmul: { readonly produced: Tensor; readonly config: OpSpecificAttributes | undefined },
): RuleAnswer {
  const { hint } = query;
  const product = matmul.produced;
  const sum = hint === undefined || hint.ignorePhysicalLayout || !isSharded(hint)
    ? product
    : placeOutput(query, context, { whenNull: DRAM_INTERLEAVED });
  if (isRefusal(sum)) return sum;
  return accept({
    outputs: [sum],
    intermediateL1Bytes: reportedL1Bytes(product, context.chip),
    config: matmul.config,
  }, context);
}

/** Layout of the product: from the hint when interleaved, from the program's per-core block when sharded. */
function placeProduct(
  query: ConstraintQuery,
  context: RuleContext,
  program: MatmulChoice,
  a: Tensor,
): Tensor | InvalidConstraints {
  const { hint, op } = query;
  if (hint === undefined || !isSharded(hint)) {
    return placeOutput(query, context, { whenNull: DRAM_INTERLEAVED });
  }
  const type = op.results[0];
  if (type === undefined) {
    return refuse("unsupported_config", "result/missing", `${op.name} has no tensor result`, SOURCE);
  }
  const spec = program.outputShard;
  if (spec === undefined || !spec.memoryLayouts.includes(hint.memoryLayout ?? "interleaved")) {
    return refuseConfig(
      op,
      "matmul/output-sharding",
      `the program writes ${spec?.memoryLayouts.join(" or ") ?? "interleaved"}, not ${hint.memoryLayout}`,
      SOURCE,
    );
  }
  if (isSharded(a.layout) && a.layout.bufferType !== hint.bufferType) {
    return refuseLayout(
      op,
      "matmul/output-buffer",
      `a sharded output must be in ${a.layout.bufferType} like operand 0`,
      SOURCE,
    );
  }
  const grid = spec.grid;
  const { workerGrid } = context.chip;
  const fits = hint.memoryLayout === "block_sharded"
    ? grid[0] <= workerGrid.rows && grid[1] <= workerGrid.columns
    : grid[0] * grid[1] <= context.cores;
  if (!fits) {
    return refuseConfig(
      op,
      "matmul/output-grid",
      `${grid.join("x")} output shards exceed the ${workerGrid.rows}x${workerGrid.columns} worker grid`,
      SOURCE,
    );
  }
  const layout: TtnnLayout = shardedLayout(context, hint.dataType, hint, grid, spec.shard);
  return intern(type.shape, layout, context);
}

function checkBatches(query: ConstraintQuery, extents: MatmulExtents): InvalidConstraints | undefined {
  const { batchA, batchB } = extents;
  if (batchB === 1 || batchA === 1) return undefined;
  const [a, b] = query.operands.map((operand) => batchesOf(operand?.shape ?? []));
  if (a === b) return undefined;
  return refuseConfig(query.op, "matmul/batch", `batches ${a} and ${b} do not broadcast`, SOURCE);
}

/** `2x12` of `1x2x12x64x32`. */
function batchesOf(shape: readonly number[]): string {
  const batches = shape.slice(0, -2);
  return batches.slice(batches.findIndex((extent) => extent !== 1)).join("x");
}

function programConfigOf(query: ConstraintQuery): MatmulProgramConfig | undefined {
  return query.config?.kind === "matmul" ? query.config.programConfig : undefined;
}

function computeConfigOf(query: ConstraintQuery): ComputeKernelConfig | undefined {
  return query.config?.kind === "matmul" ? query.config.computeConfig : undefined;
}

/** The rules of matmuls. */
export const MATMUL_RULES: RulesOf<"matmul"> = {
  /** Rule of `ttnn.matmul` and `ttnn.linear`; operand 2 of a linear is the bias. */
  matmul: defineRule({
    strategy: { hints: "matmul", inputs: ["any", "not_sharded", "any"], exploresReshards: true },
    evaluate: evaluateMatmul,
  }),
};
