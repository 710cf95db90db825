// SPDX-License-Identifier: Apache-2.0
import type { ComputeKernelConfig, MathFidelity, OpSpecificAttributes } from "../op_config/op_config.ts";
import type { OutputHint } from "../opmodel/op_model.ts";

/**
 * Every hint with every compute config that pass 1 searches beside layouts and program configs
 * (tt-mlir:optimizer-document §5.6.1): math fidelities that the user offers, and partial results that the packer adds up
 * in L1. Lower fidelities multiply in fewer phases and round the factors, so that nobody but the user may offer them.
 * What the packer adds up is the same sum: it is tried wherever a compute config says nothing of it, which the backend
 * takes for no, and first, so that it wins where scores are equal.
 *
 * @param fidelities what may be tried; without any, ops keep theirs
 * @param own config that the op carries; all else of its compute config stays
 */
export function withComputeConfigs(
  hints: readonly OutputHint[],
  fidelities: readonly MathFidelity[],
  own: OpSpecificAttributes | undefined,
): readonly OutputHint[] {
  return hints.flatMap((hint) => {
    const base = hint.config ?? own ?? MATMUL;
    const offered = fidelities.length === 0
      ? [base.computeConfig]
      : fidelities.map((mathFidelity) => ({ ...base.computeConfig, mathFidelity }));
    return offered.flatMap((computeConfig): readonly OutputHint[] => {
      if (computeConfig === undefined) return [hint];
      const written = fidelities.length === 0 ? hint : withConfig(hint, base, computeConfig);
      return computeConfig.packerL1Acc === undefined
        ? [withConfig(hint, base, { ...computeConfig, packerL1Acc: true }), written]
        : [written];
    });
  });
}

function withConfig(
  { layout }: OutputHint,
  base: OpSpecificAttributes,
  computeConfig: ComputeKernelConfig,
): OutputHint {
  return { layout, config: { ...base, computeConfig } };
}

/** A matmul without a program config: the backend makes one. */
const MATMUL: OpSpecificAttributes = { kind: "matmul" };
