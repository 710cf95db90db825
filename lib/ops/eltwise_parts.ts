// SPDX-License-Identifier: Apache-2.0

/** An operand of a part: an operand of the op, the result of an earlier part, or a number. */
export type PartOperand =
  | { readonly from: "operand"; readonly index: number }
  | { readonly from: "part"; readonly index: number }
  | { readonly from: "number" };

/** One binary program of an elementwise op that runs in parts. */
export interface EltwisePart {
  readonly name: string;
  readonly operands: readonly [PartOperand, PartOperand];
  /** Whether its result is freed when the op ends; else it is freed behind the next part. */
  readonly keepsResult?: boolean;
}

/** Which binary programs an elementwise op of several tensors runs in, and when (`ttnn:backend-0-81-1`). */
export interface EltwiseParts {
  /**
   * `spread_block_floats`: only if an operand is of block floats, and all operands that are broadcast within tiles are
   * broadcast alike (all as rows, columns or scalars); else the op is one program.
   */
  readonly when: "always" | "spread_block_floats";
  /** Whether the results of all parts lie in the memory of the op's result, not where each part would put its own. */
  readonly inOneMemory: boolean;
  /** The parts of an op with this many tensor operands; the last part makes the result. `undefined` for one program. */
  readonly of: (operands: number) => readonly EltwisePart[] | undefined;
}

const operand = (index: number): PartOperand => ({ from: "operand", index });
const made = (index: number): PartOperand => ({ from: "part", index });
const NUMBER: PartOperand = { from: "number" };

const CLAMP: readonly EltwisePart[] = [
  { name: "ttnn.minimum", operands: [operand(1), operand(2)], keepsResult: true },
  { name: "ttnn.minimum", operands: [operand(0), operand(2)] },
  { name: "ttnn.maximum", operands: [made(1), made(0)] },
];

/** A tensor bounded by tensors. */
export const CLAMP_PARTS: EltwiseParts = {
  when: "always",
  inOneMemory: true,
  of: (operands) => operands === 3 ? CLAMP : undefined,
};

const ADDCMUL: readonly EltwisePart[] = [
  { name: "ttnn.multiply", operands: [operand(1), NUMBER] },
  { name: "ttnn.multiply", operands: [made(0), operand(2)] },
  { name: "ttnn.add", operands: [operand(0), made(1)] },
];

/** The first operand plus a multiple of the product of the others. */
export const ADDCMUL_PARTS: EltwiseParts = {
  when: "spread_block_floats",
  inOneMemory: false,
  of: () => ADDCMUL,
};

/** The first operand plus a share of its difference from the second; the share is a tensor or a number. */
export const LERP_PARTS: EltwiseParts = {
  when: "spread_block_floats",
  inOneMemory: false,
  of: (operands) => {
    const weight = operands === 3 ? operand(2) : NUMBER;
    return [
      { name: "ttnn.subtract", operands: [operand(1), operand(0)], keepsResult: weight.from === "number" },
      { name: "ttnn.multiply", operands: [made(0), weight] },
      { name: "ttnn.add", operands: [operand(0), made(1)] },
    ];
  },
};
