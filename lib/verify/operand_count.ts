// SPDX-License-Identifier: Apache-2.0

/** How many operands an op takes. */
export interface OperandCount {
  readonly minimum: number;
  readonly maximum: number;
}

const UNARY =
  "neg abs exp log log1p expm1 sqrt rsqrt cbrt reciprocal sin cos tan asin asinh acos acosh atan atanh tanh " +
  "sigmoid hardsigmoid silu mish relu relu6 gelu erf erfc sign floor ceil isfinite leaky_relu logical_not bitwise_not " +
  "typecast reshape permute transpose repeat repeat_interleave slice_static pad sum mean max min prod argmax softmax " +
  "cumsum to_layout to_memory_config from_device deallocate concatenate_heads clamp_scalar pow_scalar";
const BINARY =
  "add subtract multiply divide eq ne gt ge lt le logical_and logical_or logical_xor bitwise_and bitwise_or " +
  "bitwise_xor logical_left_shift logical_right_shift maximum minimum remainder atan2 pow_tensor matmul embedding to_device";

/**
 * Operand counts of ops whose number of operands never changed between the generations we read (tt-mlir:ttir-to-ttnn).
 * Ops that gained or lost optional operands are not listed.
 */
const OPERAND_COUNTS: ReadonlyMap<string, OperandCount> = new Map([
  ...UNARY.split(" ").map((op) => [`ttnn.${op}`, { minimum: 1, maximum: 1 }] as const),
  ...BINARY.split(" ").map((op) => [`ttnn.${op}`, { minimum: 2, maximum: 2 }] as const),
  ["ttnn.where", { minimum: 3, maximum: 3 }],
  ["ttnn.linear", { minimum: 2, maximum: 3 }],
  ["ttnn.conv2d", { minimum: 3, maximum: 4 }],
  ["ttnn.get_device", { minimum: 0, maximum: 0 }],
]);

/** How many operands an op takes; `undefined` when we do not know. */
export function operandCount(opName: string): OperandCount | undefined {
  return OPERAND_COUNTS.get(opName);
}
