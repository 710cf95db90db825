// SPDX-License-Identifier: Apache-2.0
import { MATMUL } from "../../ops/attributes/matmul.ts";
import { InvariantValues, raiseConstant } from "../invariant_values.ts";
import { mayCopy } from "../graph_pass.ts";
import type { RewritePattern } from "../rewrite_pattern.ts";
import { PassBuilder } from "../pass_builder.ts";

/**
 * Transposes a matmul's parameter at load instead of in every inference, as upstream does by its const-eval.
 */
export const transposeParameters: RewritePattern = {
  name: "transpose-parameters",
  option: "enable-const-eval",
  upstream: "level-0",
  roots: ["ttnn.matmul", "ttnn.linear"],
  rewrite: (op, body, context) => {
    const weight = op.tensorOperand(1);
    const shape = weight?.type.shape ?? [];
    const isTransposed = op.read(MATMUL).transpose_b;
    if (weight === undefined || !isTransposed || shape.length < 2) return false;
    if (weight.type.layout.tile === undefined || weight.type.layout.bufferType !== "dram") return false;
    if (!new InvariantValues(body).has(weight) || !mayCopy([weight.type], context)) return false;
    raiseConstant(weight, op, body);
    const order = shape.map((_, dim) => dim).toSpliced(-2, 2, shape.length - 1, shape.length - 2);
    body.setOperand(op, 1, new PassBuilder(body, op, context).permute(weight, order));
    op.set({ transpose_b: false });
    return true;
  },
};
