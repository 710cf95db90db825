// SPDX-License-Identifier: Apache-2.0
import { MATMUL } from "../../lib/ops/attributes/matmul.ts";
import { readAttributes } from "../../lib/ops/attributes/read_attributes.ts";
import { volume } from "../../lib/layout/extents.ts";
import type { CostClass } from "../../lib/ops/cost_class.ts";
import { windowOf } from "../../lib/ops/op_windows.ts";
import type { OpSignature } from "../../lib/ops/op_signature.ts";

/**
 * The problem size of an op, as tt-perf-report writes it: `[batch x] M x K x N` for matmuls, `NHW x Cin·kh·kw x Cout`
 * for convolutions, the shape of the first result otherwise.
 */
export function problemSize(op: OpSignature, costClass: CostClass): string {
  const output = op.results.find((tensor) => tensor !== undefined)?.shape ?? op.operands[0]?.shape;
  if (output === undefined) return "";
  const [in0, in1] = op.operands;
  if (costClass === "matmul" && in0 !== undefined && in1 !== undefined) {
    const k = in0.shape.at(readAttributes(op, MATMUL).transpose_a ? -2 : -1) ?? 1;
    const batch = volume(output.slice(0, -2));
    const size = `${output.at(-2) ?? 1} x ${k} x ${output.at(-1) ?? 1}`;
    return batch === 1 ? size : `${batch} x ${size}`;
  }
  if (costClass === "conv2d") {
    const rows = volume(output.slice(0, -1));
    return `${rows} x ${convolutionPatch(op)} x ${output.at(-1) ?? 1}`;
  }
  return output.join("x");
}

/**
 * Input values that one output value of a convolution sums over. Computed from the attributes, because weights may have
 * been prepared into another shape: channels per group times the kernel's extent.
 */
function convolutionPatch(op: OpSignature): number {
  const window = windowOf(op);
  return window === undefined
    ? NaN
    : window.inChannels / window.groups * window.kernelHeight * window.kernelWidth;
}
