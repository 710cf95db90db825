// SPDX-License-Identifier: Apache-2.0
import type { AttributeMap } from "../../lib/ir/attribute.ts";
import type { CostClass, OpSignature } from "../../lib/opmodel/op_model.ts";

/**
 * The size of an op's problem in the words of tt-perf-report: `[batch x] M x K x N` for matmuls,
 * `NHW x Cin·kh·kw x Cout` for convolutions, the shape of the first result otherwise.
 */
export function problemSize(op: OpSignature, costClass: CostClass): string {
  const output = op.results.find((tensor) => tensor !== undefined)?.shape ?? op.operands[0]?.shape;
  if (output === undefined) return "";
  const [in0, in1] = op.operands;
  if (costClass === "matmul" && in0 !== undefined && in1 !== undefined) {
    const k = in0.shape.at(isTrue(op.attributes, "transpose_a") ? -2 : -1) ?? 1;
    const batch = output.slice(0, -2).reduce((volume, extent) => volume * extent, 1);
    const size = `${output.at(-2) ?? 1} x ${k} x ${output.at(-1) ?? 1}`;
    return batch === 1 ? size : `${batch} x ${size}`;
  }
  if (costClass === "conv2d") {
    const rows = output.slice(0, -1).reduce((volume, extent) => volume * extent, 1);
    return `${rows} x ${convolutionPatch(op)} x ${output.at(-1) ?? 1}`;
  }
  return output.join("x");
}

/**
 * Input values that one output value of a convolution sums over. Weights may be prepared into another shape, so the
 * attributes say it: channels per group times the kernel's extent.
 */
function convolutionPatch(op: OpSignature): number {
  const channels = integers(op.attributes, "in_channels")[0] ?? op.operands[0]?.shape.at(-1) ?? 1;
  const groups = integers(op.attributes, "groups")[0] ?? 1;
  const kernel = integers(op.attributes, "kernel_size");
  return channels / groups * kernel.reduce((volume, extent) => volume * extent, 1);
}

/** The value of an integer or array attribute; empty when there is none. */
function integers(attributes: AttributeMap, name: string): readonly number[] {
  const attribute = attributes.get(name);
  if (attribute?.kind === "integer") return [Number(attribute.value)];
  return attribute?.kind === "denseArray" ? attribute.values : [];
}

function isTrue(attributes: AttributeMap, name: string): boolean {
  const attribute = attributes.get(name);
  return attribute?.kind === "bool" && attribute.value;
}
