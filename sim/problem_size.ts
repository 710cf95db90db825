// SPDX-License-Identifier: Apache-2.0
import type { AttributeMap } from "../lib/ir/attribute.ts";
import type { CostClass, OpSignature } from "../lib/opmodel/op_model.ts";

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
  if (costClass === "conv2d" && in1 !== undefined && in1.shape.length === 4) {
    const rows = output.slice(0, -1).reduce((volume, extent) => volume * extent, 1);
    const patch = in1.shape.slice(1).reduce((volume, extent) => volume * extent, 1);
    return `${rows} x ${patch} x ${output.at(-1) ?? 1}`;
  }
  return output.join("x");
}

function isTrue(attributes: AttributeMap, name: string): boolean {
  const attribute = attributes.get(name);
  return attribute?.kind === "bool" && attribute.value;
}
