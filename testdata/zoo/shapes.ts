// SPDX-License-Identifier: Apache-2.0
import type { Properties } from "../../lib/ttnn/op.ts";
import { COMPUTE_CONFIG } from "../../lib/dialect/compute_config_text.ts";

/** Options of `matmul` and `linear`. */
export interface MatmulOptions {
  readonly activation?: "gelu" | "relu" | "silu";
  readonly transposeB?: boolean;
}

/** Properties of a matmul. */
export function matmulProperties(options: MatmulOptions): Properties {
  return {
    activation: options.activation === undefined ? undefined : options.activation,
    compute_config: COMPUTE_CONFIG,
    transpose_a: false,
    transpose_b: options.transposeB ?? false,
  };
}
