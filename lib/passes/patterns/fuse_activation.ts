// SPDX-License-Identifier: Apache-2.0
import { MATMUL } from "../../ops/attributes/matmul.ts";
import { sameType } from "../../ttnn/value.ts";
import type { RewritePattern } from "../rewrite_pattern.ts";

/** Activations that upstream lets matmul kernels apply to a block before writing it (tt-mlir:ttnn-fusing). */
const ACTIVATIONS: readonly string[] = ["sigmoid", "silu", "gelu"];

/** Fuses an activation into the matmul or linear whose only reader it is. */
export const fuseActivation: RewritePattern = {
  name: "fuse-activation",
  upstream: "level-0",
  roots: ACTIVATIONS.map((name) => `ttnn.${name}`),
  rewrite: (op, body) => {
    const [input] = op.operands;
    const product = input?.producer;
    if (product?.name !== "ttnn.matmul" && product?.name !== "ttnn.linear") return false;
    const [result] = op.results;
    if (input?.onlyUser !== op || result === undefined || !sameType(input.type, result.type)) return false;
    if (product.read(MATMUL).activation !== undefined) return false;
    product.set({ activation: op.name.slice("ttnn.".length) });
    body.replaceAllUses(result, input);
    body.erase(op);
    return true;
  },
};
