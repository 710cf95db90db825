// SPDX-License-Identifier: Apache-2.0
import { readAttributes } from "../../ops/attributes/read_attributes.ts";
import { MATMUL } from "../../ops/attributes/matmul.ts";
import type { DataType } from "../../layout/data_type.ts";
import { isSharded, type TtnnLayout } from "../../layout/ttnn_layout.ts";
import type { OpSpecificAttributes } from "../../op_config/op_config.ts";
import type { TensorShape } from "../../ops/op_signature.ts";
import { launchMatmul, multipliesNothing } from "../../programs/matmul/matmul.ts";
import { type MatmulPlan, planMatmul } from "../../programs/matmul/matmul_plan.ts";
import { matrixExtents } from "../../layout/extents.ts";
import { NO_PROGRAMS } from "../../programs/program.ts";
import { DRAM_INTERLEAVED, intern, placeOutput, resultAt } from "../place_output.ts";
import { type ConstraintQuery, defineRule, type RulesOf } from "../rule.ts";
import { asProgramTensor, type Tensor } from "../tensor.ts";
import { refuseConfig, refuseLayout, refuseOperand, type Verdict } from "../verdict.ts";
import { checkMatmulConfig } from "./matmul_config_checks.ts";
import { freeMatmulConfigs } from "./matmul_free_configs.ts";
import { mayReadShards, mayReadWeight } from "./matmul_multicast_checks.ts";
import { shardedProduct } from "./matmul_result.ts";
import { writtenMatmulConfig } from "./matmul_written_config.ts";
import { askedLaunch, demandOfAll } from "./program.ts";

function evaluateMatmul(query: ConstraintQuery): Verdict {
  const { hint, chip, isDeviceOperation } = query;
  checkOperands(query);
  const type = resultAt(query);
  if (multipliesNothing({ inputs: query.operands })) {
    const output = placeOutput(query, { whenNull: DRAM_INTERLEAVED });
    return { outputs: [output], launched: () => NO_PROGRAMS };
  }
  const plan = planMatmul(
    askedLaunch(query, type),
    () => query.room().beforeResults,
    chip,
    isDeviceOperation,
  );
  if (plan === undefined) refuseConfig(query, "operand/missing", "needs two tensor operands");
  if (plan.fault !== undefined) refuseConfig(query, `matmul/${plan.fault.what}`, plan.fault.reason);
  checkMatmulConfig({
    query,
    problem: plan.problem,
    config: plan.config,
    isGiven: query.config?.kind === "matmul" && query.config.programConfig !== undefined,
  });
  const asksForShards = hint !== undefined && isSharded(hint);
  if (asksForShards && query.operands[1]?.shape.length === 1) {
    const fault = "a product by a vector becomes a row, whose shards are not asked for";
    refuseLayout(query, "matmul/vector", fault);
  }
  const output = asksForShards
    ? placeShards(query, plan, hint, type)
    : placeOutput(query, { whenNull: DRAM_INTERLEAVED });
  return {
    outputs: [output],
    config: configInUse(query, plan),
    launched: () => launchMatmul(plan, asProgramTensor(output), query),
  };
}

/** All operands are tiled, A and B have one of {@linkcode FORMATS}, a vector B is interleaved; columns of A = rows of B. */
function checkOperands(query: ConstraintQuery): void {
  demandOfAll(query, "tiled", "matmul/tile");
  const [a, b] = query.operands;
  if (a === undefined || b === undefined) return;
  for (const [index, { layout }] of [a, b].entries()) {
    if (!FORMATS.has(layout.dataType)) {
      refuseOperand(query, index, "matmul/format", "has a format that no matmul takes");
    }
  }
  if (a.shape.length < 1 || b.shape.length < 1) {
    refuseConfig(query, "matmul/rank", "needs operands of rank 1 or more");
  }
  if (b.shape.length === 1 && isSharded(b.layout)) {
    refuseOperand(query, 1, "matmul/vector", "is made a column, which is modelled interleaved only");
  }
  const { transpose_a, transpose_b } = readAttributes(query.op, MATMUL);
  const { columns: inner } = matrixExtents(a.shape, transpose_a);
  const { rows } = matrixExtents(b.shape.length === 1 ? [...b.shape, 1] : b.shape, transpose_b);
  if (inner !== rows) {
    refuseConfig(query, "matmul/inner-dimension", `inner dimensions ${inner} and ${rows} differ`);
  }
}

/** Formats that the matrix engine multiplies. */
const FORMATS: ReadonlySet<DataType> = new Set(["f32", "bf16", "bfp_bf8", "bfp_bf4"]);

/** The sharded result of a program, for a sharded hint. */
function placeShards(
  query: ConstraintQuery,
  { problem, config }: MatmulPlan,
  hint: TtnnLayout,
  { shape }: TensorShape,
): Tensor {
  if (config === undefined) refuseConfig(query, "matmul/simple-interleaved", "writes no shards");
  const layout = shardedProduct(problem, config, hint, query.chip.workerGrid);
  if ("what" in layout) refuseConfig(query, `matmul/${layout.what}`, layout.reason);
  return intern(query, shape, layout);
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
