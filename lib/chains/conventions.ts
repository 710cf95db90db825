// SPDX-License-Identifier: Apache-2.0

/** What the chain policies do where the original is at fault; one value per generation of rules. */
export interface Conventions {
  /** The batch of a matmul counts as rows of its program config. */
  readonly foldsMatmulBatch: boolean;
  /** Layouts that the op model makes from no operands, and single shards beside larger grids, are no candidates. */
  readonly offersMadeLayouts: boolean;
  /** What an op reads from L1 is taken while it runs, in chains and beside outputs that wait. */
  readonly countsOperandBytes: boolean;
  /**
   * Ops are checked with the operands that they will really get: outputs of chains that wait in L1, converted operands;
   * ops of failed chains and `to_layout` are looked at as well.
   */
  readonly seesWaitingOutputs: boolean;
  /** An output that waits is not counted while its own op runs, which counts it itself. */
  readonly waitsBehindItsOp: boolean;
  /** Outputs that merges and concats keep are reserved until they are read. */
  readonly reservesMerges: boolean;
  /** A chain may take over every output that fits, the largest first; else only the largest one. */
  readonly mergesAllOutputs: boolean;
  /** A reshape stays in DRAM where L1 gains nothing: views, and handovers whose reshape is not kept. */
  readonly keepsReshapesThatGain: boolean;
  /** Everything scheduled while inputs of a concat wait is checked; else only the chains that feed it. */
  readonly checksConcatSchedule: boolean;
  /** An input of a concat may have other readers, which take it as it waits; the original asks for a single use. */
  readonly sharesConcatInputs: boolean;
  /** The solver picks the layout that a chain reads the result of a dispatch in, and the dispatch writes it. */
  readonly solvesDispatchInputs: boolean;
  /** `df-sharding-2` leaves chains unmerged where merged they are predicted to be slower. */
  readonly comparesWithUnmerged: boolean;
  /** The interleaved policies keep to `--tensor-l1-usage-cap`; the original looks for it in the wrong module. */
  readonly readsL1Cap: boolean;
  /** What an op frees may exceed what it takes; the original computes the difference without a sign. */
  readonly signedL1Growth: boolean;
}

/** The rules as documented. */
export const CURRENT_CONVENTIONS: Conventions = {
  foldsMatmulBatch: true,
  offersMadeLayouts: true,
  countsOperandBytes: true,
  seesWaitingOutputs: true,
  waitsBehindItsOp: true,
  reservesMerges: true,
  mergesAllOutputs: true,
  keepsReshapesThatGain: true,
  checksConcatSchedule: true,
  sharesConcatInputs: true,
  solvesDispatchInputs: true,
  comparesWithUnmerged: true,
  readsL1Cap: true,
  signedL1Growth: true,
};

/** The rules as the original carries them out (`--legacy-quirks`). */
export const LEGACY_CONVENTIONS: Conventions = {
  foldsMatmulBatch: false,
  offersMadeLayouts: false,
  countsOperandBytes: false,
  seesWaitingOutputs: false,
  waitsBehindItsOp: false,
  reservesMerges: false,
  mergesAllOutputs: false,
  keepsReshapesThatGain: false,
  checksConcatSchedule: false,
  sharesConcatInputs: false,
  solvesDispatchInputs: false,
  comparesWithUnmerged: false,
  readsL1Cap: false,
  signedL1Growth: false,
};
