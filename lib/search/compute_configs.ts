// SPDX-License-Identifier: Apache-2.0
import type { MathFidelity, OpSpecificAttributes } from "../op_config/op_config.ts";
import type { OutputHint } from "../opmodel/op_model.ts";

/**
 * Every hint with every math fidelity: the compute configs that pass 1 searches beside layouts and program configs
 * (tt-mlir:optimizer-document §5.6.1). Lower fidelities multiply in fewer phases and round the factors, so that nobody
 * but the user may offer them.
 *
 * @param fidelities what may be tried; without any the hints stay as they are
 * @param own config that the op carries; everything of its compute config but the fidelity stays
 */
export function withFidelities(
  hints: readonly OutputHint[],
  fidelities: readonly MathFidelity[],
  own: OpSpecificAttributes | undefined,
): readonly OutputHint[] {
  if (fidelities.length === 0) return hints;
  return hints.flatMap((hint) =>
    fidelities.map((mathFidelity): OutputHint => {
      const base = hint.config ?? own ?? MATMUL;
      return {
        layout: hint.layout,
        config: { ...base, computeConfig: { ...base.computeConfig, mathFidelity } },
      };
    })
  );
}

/** A matmul without a program config: the backend makes one. */
const MATMUL: OpSpecificAttributes = { kind: "matmul" };
