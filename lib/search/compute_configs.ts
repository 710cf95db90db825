// SPDX-License-Identifier: Apache-2.0
import type { ComputeKernelConfig, MathFidelity, OpSpecificAttributes } from "../op_config/op_config.ts";
import type { OutputHint } from "../opmodel/op_model.ts";

/**
 * Every hint with every compute config that pass 1 searches (tt-mlir:optimizer-document §5.6.1), beside layouts and program
 * configs:
 *
 * - the math fidelities that the user offers. Nobody but the user may: lower ones multiply in fewer phases and round factors.
 * - partial results that the packer adds up in L1. The sum is the same, so this is tried wherever a compute config says nothing
 *   of it, which the backend takes for no. It is tried first, so that it wins where scores are equal.
 *
 * @param fidelities what may be tried; without any, ops keep theirs
 * @param own config that the op carries; all else of its compute config stays
 */
export function withComputeConfigs(
  hints: readonly OutputHint[],
  fidelities: readonly MathFidelity[],
  own: OpSpecificAttributes | undefined,
): readonly OutputHint[] {
  // Hints of one config get the same objects: what is asked with them knows them again without comparing fields.
  const known = new Map<OutputHint["config"], readonly OutputHint["config"][]>();
  return hints.flatMap(({ layout, config }) => {
    let configs = known.get(config);
    if (configs === undefined) known.set(config, configs = offeredConfigs(config, fidelities, own));
    return configs.map((offered): OutputHint => ({ layout, config: offered }));
  });
}

/** The configs to try for a hint's own, best first. */
function offeredConfigs(
  config: OutputHint["config"],
  fidelities: readonly MathFidelity[],
  own: OpSpecificAttributes | undefined,
): readonly OutputHint["config"][] {
  const base = config ?? own ?? MATMUL;
  const offered = fidelities.length === 0
    ? [base.computeConfig]
    : fidelities.map((mathFidelity) => ({ ...base.computeConfig, mathFidelity }));
  return offered.flatMap((computeConfig): readonly OutputHint["config"][] => {
    if (computeConfig === undefined) return [config];
    const written = fidelities.length === 0 ? config : withCompute(base, computeConfig);
    return computeConfig.packerL1Acc === undefined
      ? [withCompute(base, { ...computeConfig, packerL1Acc: true }), written]
      : [written];
  });
}

function withCompute(base: OpSpecificAttributes, computeConfig: ComputeKernelConfig): OpSpecificAttributes {
  return { ...base, computeConfig };
}

/** A matmul without a program config: the backend makes one. */
const MATMUL: OpSpecificAttributes = { kind: "matmul" };
