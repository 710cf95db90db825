// SPDX-License-Identifier: Apache-2.0
import { readAttributes } from "../../ops/attributes/read_attributes.ts";
import { MATMUL } from "../../ops/attributes/matmul.ts";
import type { DataType } from "../../layout/data_type.ts";
import { isSharded, type TtnnLayout } from "../../layout/ttnn_layout.ts";
import type { OpSpecificAttributes } from "../../op_config/op_config.ts";
import type { OpSignature, TensorShape } from "../../ops/op_signature.ts";
import { launchMatmul, multipliesNothing } from "../../programs/matmul/matmul.ts";
import { type MatmulPlan, planMatmul } from "../../programs/matmul/matmul_plan.ts";
import { matrixExtents } from "../../layout/extents.ts";
import { NO_PROGRAMS } from "../../programs/program.ts";
import type { InvalidConstraints } from "../op_model.ts";
import { DRAM_INTERLEAVED, intern, placeOutput } from "../place_output.ts";
import { type ConstraintQuery, defineRule, type RuleContext, type RulesOf } from "../rule.ts";
import { asProgramTensor, type Tensor } from "../tensor.ts";
import {
  accept,
  isRefusal,
  type OrRefusal,
  refuseConfig,
  refuseLayout,
  refuseOperand,
  type RuleAnswer,
} from "../verdict.ts";
import { matmulConfigFault } from "./matmul_config_checks.ts";
import { freeMatmulConfigs } from "./matmul_free_configs.ts";
import { mayReadShards, mayReadWeight } from "./matmul_multicast_checks.ts";
import { shardedProduct } from "./matmul_result.ts";
import { writtenMatmulConfig } from "./matmul_written_config.ts";
import { askedLaunch } from "./program.ts";

function evaluateMatmul(query: ConstraintQuery, context: RuleContext): RuleAnswer {
  const { op, hint } = query;
  const operandFault = checkOperands(op, query.operands);
  if (operandFault !== undefined) return operandFault;
  const [type] = op.results;
  if (type === undefined) return refuseConfig(op, "result/missing", "has no tensor result");
  if (multipliesNothing({ inputs: query.operands })) {
    const output = placeOutput(query, context, { whenNull: DRAM_INTERLEAVED });
    return isRefusal(output) ? output : accept({ outputs: [output], launched: () => NO_PROGRAMS }, context);
  }
  const { chip, programRules } = context;
  const plan = planMatmul(askedLaunch(query, type), () => context.room().beforeResults, chip, programRules);
  if (plan === undefined) return refuseConfig(op, "operand/missing", "needs two tensor operands");
  const fault = plan.fault ?? matmulConfigFault({
    problem: plan.problem,
    config: plan.config,
    isGiven: query.config?.kind === "matmul" && query.config.programConfig !== undefined,
    chip,
  });
  if (fault !== undefined) return refuseConfig(op, `matmul/${fault.what}`, fault.reason);
  if (hint !== undefined && isSharded(hint) && query.operands[1]?.shape.length === 1) {
    return refuseLayout(
      op,
      "matmul/vector",
      "a product by a vector becomes a row, whose shards are not asked for",
    );
  }
  const output = hint !== undefined && isSharded(hint)
    ? placeShards(query, plan, hint, type, context)
    : placeOutput(query, context, { whenNull: DRAM_INTERLEAVED });
  if (isRefusal(output)) return output;
  return accept({
    outputs: [output],
    config: configInUse(query, plan),
    launched: () => launchMatmul(plan, asProgramTensor(output), context),
  }, context);
}

/** All operands are tiled, A and B have one of {@linkcode FORMATS}, a vector B is interleaved; columns of A = rows of B. */
function checkOperands(
  op: OpSignature,
  operands: readonly (Tensor | undefined)[],
): InvalidConstraints | undefined {
  for (const [index, operand] of operands.entries()) {
    if (operand === undefined || operand.layout.tile !== undefined) continue;
    return refuseOperand(op, "matmul/tile", index, operand, "must be tiled");
  }
  const [a, b] = operands;
  if (a === undefined || b === undefined) return undefined;
  for (const [index, operand] of [a, b].entries()) {
    if (FORMATS.has(operand.layout.dataType)) continue;
    return refuseOperand(op, "matmul/format", index, operand, "has a format that no matmul takes");
  }
  if (a.shape.length < 1 || b.shape.length < 1) {
    return refuseConfig(op, "matmul/rank", "needs operands of rank 1 or more");
  }
  if (b.shape.length === 1 && isSharded(b.layout)) {
    return refuseOperand(op, "matmul/vector", 1, b, "is made a column, which is modelled interleaved only");
  }
  const { transpose_a, transpose_b } = readAttributes(op, MATMUL);
  const { columns: inner } = matrixExtents(a.shape, transpose_a);
  const { rows } = matrixExtents(b.shape.length === 1 ? [...b.shape, 1] : b.shape, transpose_b);
  return inner === rows
    ? undefined
    : refuseConfig(op, "matmul/inner-dimension", `inner dimensions ${inner} and ${rows} differ`);
}

/** Formats that the matrix engine multiplies. */
const FORMATS: ReadonlySet<DataType> = new Set(["f32", "bf16", "bfp_bf8", "bfp_bf4"]);

/** The sharded result of a program, for a sharded hint. */
function placeShards(
  { op }: ConstraintQuery,
  { problem, config }: MatmulPlan,
  hint: TtnnLayout,
  { shape }: TensorShape,
  context: RuleContext,
): OrRefusal<Tensor> {
  if (config === undefined) return refuseConfig(op, "matmul/simple-interleaved", "writes no shards");
  const layout = shardedProduct(problem, config, hint, context.chip.workerGrid);
  return "what" in layout
    ? refuseConfig(op, `matmul/${layout.what}`, layout.reason)
    : intern(shape, layout, context);
}

/**
 * The config that the op runs with, including the backend's choice and the resulting compute config: an
 * explicit program config changes the compute config's default.
 */
function configInUse(
  { config }: ConstraintQuery,
  { config: programConfig, problem }: MatmulPlan,
): OpSpecificAttributes | undefined {
  if (programConfig === undefined) return config;
  const own = config?.kind === "matmul" ? config : undefined;
  if (own?.programConfig !== undefined) return own;
  return { kind: "matmul", programConfig, computeConfig: own?.computeConfig ?? problem.compute };
}

export const MATMUL_RULES: RulesOf<"matmul"> = {
  /** Rule of `ttnn.matmul` and `ttnn.linear`; operand 2 of a linear is the bias. */
  matmul: defineRule({
    strategy: { hints: "matmul", inputs: ["any", "not_sharded_in_l1", "any"] },
    evaluate: evaluateMatmul,
    mayFollow: ({ layout, config }, [a, b]) =>
      config?.kind !== "matmul" || config.programConfig === undefined || a === undefined ||
      (mayReadShards(config.programConfig, a, layout) && mayReadWeight(config.programConfig, b)),
    writtenConfig: writtenMatmulConfig,
    freeConfigs: freeMatmulConfigs,
  }),
};
