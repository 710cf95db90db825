// SPDX-License-Identifier: Apache-2.0
import { isComputeConfig } from "../dialect/compute_config_text.ts";
import { type GraphPass, isForward } from "./graph_pass.ts";
import type { PassOptions } from "./pass_options.ts";

const KEY = "compute_config";

/**
 * Sets the fidelity of every op that has one (`compute-cfg-math-fidelity`, `compute-cfg-fp32-dest-acc-en`), or removes
 * what level 0 wrote, so that kernels choose, as upstream does from level 1 on.
 */
export const computeConfig: GraphPass = {
  name: "compute-config",
  option: undefined,
  upstream: "level-0",
  run: ({ functions, options, record }) => {
    if (options.mathFidelity === undefined && options.fp32DestAccEn === undefined) return;
    for (const body of functions.filter(isForward)) {
      for (const op of body.ops()) {
        const before = op.properties.get(KEY);
        if (before === undefined || op.source?.form === "opaque") continue;
        const isLevelZero = isComputeConfig(op.attribute(KEY));
        const after = configText(before, isLevelZero, options);
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
  before: string,
  isLevelZero: boolean,
  { mathFidelity, fp32DestAccEn }: PassOptions,
): string | undefined {
  if (mathFidelity === "undefined" && fp32DestAccEn === undefined) return isLevelZero ? undefined : before;
  const fields = [
    ...(mathFidelity === undefined || mathFidelity === "undefined"
      ? []
      : [`math_fidelity = ${mathFidelity}`]),
    ...(fp32DestAccEn === undefined ? [] : [`fp32_dest_acc_en = ${fp32DestAccEn}`]),
  ];
  return `#ttnn.device_compute_kernel_config<${fields.join(", ")}>`;
}
