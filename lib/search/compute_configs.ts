// SPDX-License-Identifier: Apache-2.0
import type { ComputeKernelConfig, MathFidelity, OpSpecificAttributes } from "../op_config/op_config.ts";
import type { OutputHint } from "../opmodel/op_model.ts";

/**
 * Every hint with every compute config that pass 1 searches (tt-mlir:optimizer-document §5.6.1), in addition to
 * layouts and program configs:
 *
 * - the math fidelities that the user allows. Only the user may: lower ones multiply in fewer phases and round
 *   the factors.
 * - accumulation of partial results in L1 by the packer. The sum is the same, so this is tried wherever a
 *   compute config does not set it, in which case the backend's default is off. It comes first, so that it wins
 *   ties.
 *
 * @param fidelities to try; if empty, ops keep theirs
 * @param own config of the op; the rest of its compute config stays
 */
export function withComputeConfigs(
  hints: readonly OutputHint[],
  fidelities: readonly MathFidelity[],
  own: OpSpecificAttributes | undefined,
): readonly OutputHint[] {
  // Hints with one config share the resulting objects, so that caches recognise them without comparing fields.
  const known = new Map<OutputHint["config"], readonly OutputHint["config"][]>();
  return hints.flatMap(({ layout, config }) => {
    let configs = known.get(config);
    if (configs === undefined) known.set(config, configs = offeredConfigs(config, fidelities, own));
    return configs.map((offered): OutputHint => ({ layout, config: offered }));
  });
}

/** The configs to try in place of a hint's own, best first. */
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

/** A matmul without a program config; the backend derives one. */
const MATMUL: OpSpecificAttributes = { kind: "matmul" };
