// SPDX-License-Identifier: Apache-2.0
import { readBool, readInteger, readIntegers } from "../../lib/dialect/attribute_values.ts";
import { volume } from "../../lib/layout/extents.ts";
import type { CostClass } from "../../lib/ops/cost_class.ts";
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
    const k = in0.shape.at(readBool(op.attributes, "transpose_a") === true ? -2 : -1) ?? 1;
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
  const channels = readInteger(op.attributes, "in_channels") ?? op.operands[0]?.shape.at(-1) ?? 1;
  const groups = readInteger(op.attributes, "groups") ?? 1;
  const kernel = readIntegers(op.attributes, "kernel_size") ?? [];
  return channels / groups * volume(kernel);
}
