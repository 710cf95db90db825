// SPDX-License-Identifier: Apache-2.0
import { isBlockFloat } from "../layout/data_type.ts";
import { spreadsOneWay } from "./eltwise_buffers.ts";
import type { ProgramTensor } from "./program_tensor.ts";

/** What a part reads: an operand of the op, the result of an earlier part, or a number. */
export type PartOperand =
  | { readonly from: "operand"; readonly index: number }
  | { readonly from: "part"; readonly index: number }
  | { readonly from: "number" };

/** One binary program of an elementwise op that runs in parts. */
export interface EltwisePart {
  readonly name: string;
  readonly operands: readonly [PartOperand, PartOperand];
  /** Whether its result stays until the op ends; else it goes with the part that reads it. */
  readonly keepsResult?: boolean;
}

const operand = (index: number): PartOperand => ({ from: "operand", index });
const made = (index: number): PartOperand => ({ from: "part", index });
const NUMBER: PartOperand = { from: "number" };

const CLAMP: readonly EltwisePart[] = [
  { name: "ttnn.minimum", operands: [operand(1), operand(2)], keepsResult: true },
  { name: "ttnn.minimum", operands: [operand(0), operand(2)] },
  { name: "ttnn.maximum", operands: [made(1), made(0)] },
];

const ADDCMUL: readonly EltwisePart[] = [
  { name: "ttnn.multiply", operands: [operand(1), NUMBER] },
  { name: "ttnn.multiply", operands: [made(0), operand(2)] },
  { name: "ttnn.add", operands: [operand(0), made(1)] },
];

function lerp(weight: PartOperand): readonly EltwisePart[] {
  return [
    { name: "ttnn.subtract", operands: [operand(1), operand(0)], keepsResult: weight.from === "number" },
    { name: "ttnn.multiply", operands: [made(0), weight] },
    { name: "ttnn.add", operands: [operand(0), made(1)] },
  ];
}

/**
 * The programs of an op over several tensors that has no kernel of its own: bounds that are tensors, and what block floats
 * are spread for in one way only (`ttnn:backend-0-81-1`). The last part makes the result.
 *
 * @returns `undefined` if the op is one program
 */
export function eltwiseParts(
  name: string,
  operands: readonly Pick<ProgramTensor, "shape" | "dataType">[],
): readonly EltwisePart[] | undefined {
  if (name === "ttnn.clamp_tensor" || name === "ttnn.clamp") return operands.length === 3 ? CLAMP : undefined;
  if (!operands.some(({ dataType }) => isBlockFloat(dataType)) || !spreadsOneWay(operands)) return undefined;
  if (name === "ttnn.addcmul") return ADDCMUL;
  return name === "ttnn.lerp" ? lerp(operands.length === 3 ? operand(2) : NUMBER) : undefined;
}
