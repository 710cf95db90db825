// SPDX-License-Identifier: Apache-2.0
import type { Architecture } from "../device/chip_description.ts";
import { computeConfigText, isComputeConfig } from "../dialect/compute_config_text.ts";
import { defaultComputeConfig } from "../op_config/default_compute_config.ts";
import type { ComputeKernelConfig } from "../op_config/op_config.ts";
import { parseOpConfig } from "../op_config/parse.ts";
import type { TtnnOp } from "../ttnn/op.ts";
import { type GraphPass, isForward } from "./graph_pass.ts";
import type { PassOptions } from "./pass_options.ts";

const KEY = "compute_config";

/**
 * Sets the math fidelity and accumulation of ops with a compute config (`compute-cfg-math-fidelity`,
 * `compute-cfg-fp32-dest-acc-en`), or removes the config that level 0 wrote, so that kernels choose, as
 * upstream does from level 1 on. A config replaces the backend's default as a whole, so every field is
 * written; fields without an option keep the value that the op ran with.
 */
export const computeConfig: GraphPass = {
  name: "compute-config",
  upstream: "level-0",
  run: ({ functions, options, chip, record }) => {
    if (options.mathFidelity === undefined && options.fp32DestAccEn === undefined) return;
    for (const body of functions.filter(isForward)) {
      for (const op of body.ops()) {
        const before = op.properties.get(KEY);
        if (before === undefined || op.source?.form === "opaque") continue;
        const after = configText(op, before, options, chip.architecture);
        if (after === before) continue;
        op.setProperty(KEY, after);
        record({
          pass: computeConfig.name,
          function: body.header.name,
          op: op.name,
          location: op.location ?? "",
        });
      }
    }
  },
};

/** The config with the fields of the options; `undefined` for none. */
function configText(
  op: TtnnOp,
  before: string,
  { mathFidelity, fp32DestAccEn }: PassOptions,
  architecture: Architecture,
): string | undefined {
  const isLevelZero = isComputeConfig(op.attribute(KEY));
  const fidelity = mathFidelity === "undefined" ? undefined : mathFidelity;
  if (fidelity === undefined && fp32DestAccEn === undefined) return isLevelZero ? undefined : before;
  const kept = isLevelZero
    ? defaultOf(op, architecture)
    : parseOpConfig(op.name, op.attributeMap())?.computeConfig;
  return computeConfigText({
    ...kept,
    ...(fidelity === undefined ? {} : { mathFidelity: fidelity }),
    ...(fp32DestAccEn === undefined ? {} : { fp32DestAccEn }),
  });
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
