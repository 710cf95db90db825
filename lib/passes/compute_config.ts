// SPDX-License-Identifier: Apache-2.0
import type { Architecture } from "../device/chip_description.ts";
import { computeConfigText, isComputeConfig } from "../dialect/compute_config_text.ts";
import { defaultComputeConfig } from "../op_config/default_compute_config.ts";
import type { ComputeKernelConfig } from "../op_config/op_config.ts";
import { parseOpConfig } from "../op_config/parse.ts";
import type { TtnnOp } from "../ttnn/op.ts";
import { type GraphPass, visitingPass } from "./graph_pass.ts";

const KEY = "compute_config";

/**
 * Sets fields of the compute config of ops of forward functions that have one (`compute-cfg-…`), or removes the config that
 * level 0 wrote, so that kernels choose, as upstream does from level 1 on. A config replaces the backend's default as a
 * whole, so every field is written: those without an option as the text has them, or, in place of a config of level 0, as
 * the backend's default for the op has them.
 */
export const computeConfig: GraphPass = visitingPass(
  { name: "compute-config", upstream: "level-0" },
  (_body, { options: { computeConfig: fields }, chip }) => (op) => {
    const before = fields === undefined ? undefined : op.properties.get(KEY);
    if (fields === undefined || before === undefined || op.source?.form === "opaque") return false;
    const after = configText(op, before, fields, chip.architecture);
    op.setProperty(KEY, after);
    return after !== before;
  },
);

/** The config with these fields; `undefined` for none. */
function configText(
  op: TtnnOp,
  before: string,
  fields: ComputeKernelConfig,
  architecture: Architecture,
): string | undefined {
  const isLevelZero = isComputeConfig(op.attribute(KEY));
  if (Object.keys(fields).length === 0) return isLevelZero ? undefined : before;
  const kept = isLevelZero
    ? defaultOf(op, architecture)
    : parseOpConfig(op.name, op.attributeMap())?.computeConfig;
  return computeConfigText({ ...kept, ...fields });
}

/** The backend's default compute config of an op without one. */
function defaultOf(op: TtnnOp, architecture: Architecture): ComputeKernelConfig | undefined {
  const result = op.results[0]?.type;
  if (result?.kind !== "tensor") return undefined;
  return defaultComputeConfig({
    op: op.name,
    operands: op.tensorOperands.map(({ type }) => type.dataType),
    result: result.dataType,
    isPlanned: op.properties.has("matmul_program_config"),
    architecture,
  });
}
