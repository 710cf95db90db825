// SPDX-License-Identifier: Apache-2.0

/**
 * Differences in the times of device programs between backend revisions, as data: published measurements were made with
 * several. Legality and buffers are those of one revision.
 */
export interface ProgramRules {
  /**
   * Whether ops of several operands compute the strides of each before their first tile, as the kernel that broadcasts
   * any dimension does; its predecessor took operands of one shape (tt-metal:binary-ng).
   */
  readonly binaryStrides: boolean;
  /**
   * Whether products of tensors that are not block floats are computed by the vector unit, which rounds like the other
   * ops; the matrix engine truncates, and computes them in fast mode (tt-metal:binary-ng).
   */
  readonly vectorProducts: boolean;
  /** Whether reductions and `topk` fill the padding of their input in a separate program (tt-metal:fill-pad). */
  readonly fillsPadding: boolean;
  /**
   * Whether both data movement processors of a core look through rows of elements for `argmax`, each through half of the
   * rows, or one through all of them (tt-metal:reduction).
   */
  readonly argmaxHalvesRows: boolean;
  /** Whether a reduction of many rows is cut into slices where it would leave cores idle (`ttnn:backend-0-81-1`). */
  readonly splitsTallRows: boolean;
  /**
   * Whether cores repeat pages in batches, a thread that reads beside one that writes (`ttnn:backend-0-81-1`); the older
   * kernel, which still takes some shards and ranks, reads a page and writes its copies by one thread.
   */
  readonly repeatsInBatches: boolean;
  /** Whether softmax accumulates in f32 without a compute config (`ttnn:backend-0-81-1`). */
  readonly softmaxInF32: boolean;
  /** Blocks of norms: always full ones, or the largest that divide the row, which an older program took. */
  readonly normBlock: "fixed" | "largest_divisor";
}

/** Programs of the revision that the rule book models (`ttnn:backend-0-81-1`). */
export const PROGRAM_RULES: ProgramRules = {
  binaryStrides: true,
  vectorProducts: true,
  fillsPadding: true,
  argmaxHalvesRows: true,
  splitsTallRows: true,
  repeatsInBatches: true,
  softmaxInF32: true,
  normBlock: "fixed",
};

/** Programs of the backend revisions that most published measurements were made with. */
export const MEASURED_PROGRAM_RULES: ProgramRules = {
  binaryStrides: true,
  vectorProducts: false,
  fillsPadding: false,
  argmaxHalvesRows: true,
  splitsTallRows: false,
  repeatsInBatches: false,
  softmaxInF32: false,
  normBlock: "fixed",
};
