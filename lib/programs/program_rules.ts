// SPDX-License-Identifier: Apache-2.0

/** What changed between backend revisions about device programs, as data. */
export interface ProgramRules {
  /**
   * How layer norm and rms norm choose their block of tiles: the largest divisor of the row, or always the full
   * block with the row rounded up (tt-metal:layernorm).
   */
  readonly normBlock: "largest_divisor" | "fixed";
  /**
   * Whether ops of several operands work out the strides of each before their first tile, as the kernel does that
   * broadcasts any dimension; the one before it went through operands of one shape (tt-metal:binary-ng).
   */
  readonly binaryStrides: boolean;
  /**
   * Whether products of tensors that are no block floats are made by the vector unit, which rounds them as the rest of
   * the ops; the matrix engine truncates, and makes them where asked to be fast (tt-metal:binary-ng).
   */
  readonly vectorProducts: boolean;
  /** Whether reductions and `topk` fill the padding of what they look at in a program of its own (tt-metal:fill-pad). */
  readonly fillsPadding: boolean;
  /**
   * Whether both data movement processors of a core look through rows of elements for `argmax`, each through half of the
   * rows, or one through all of them (tt-metal:reduction).
   */
  readonly argmaxHalvesRows: boolean;
}

/** Programs of the backend revisions that most published measurements were made with. */
export const MEASURED_PROGRAM_RULES: ProgramRules = {
  normBlock: "fixed",
  binaryStrides: true,
  vectorProducts: false,
  fillsPadding: false,
  argmaxHalvesRows: true,
};
