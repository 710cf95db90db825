// SPDX-License-Identifier: Apache-2.0

/** Rules of the chain policies where upstream has bugs; one set of values for each version of the rules. */
export interface Conventions {
  /** Whether chains hold every elementwise op; otherwise only those of upstream's list. */
  readonly chainsEveryEltwise: boolean;
  /** Whether the batch of a matmul counts as rows of its program config. */
  readonly foldsMatmulBatch: boolean;
  /**
   * Whether legal layouts exclude those that the op model never produces, and single shards where larger
   * grids exist.
   */
  readonly offersMadeLayouts: boolean;
  /** Whether operands in L1 count as occupied while an op runs, in chains and next to waiting outputs. */
  readonly countsOperandBytes: boolean;
  /**
   * Whether ops are checked with their actual operands (waiting outputs in L1, converted operands), including
   * ops of failed chains and `to_layout`.
   */
  readonly seesWaitingOutputs: boolean;
  /** Whether a waiting output is not counted while its own op runs, because that op already counts it. */
  readonly waitsBehindItsOp: boolean;
  /** Whether outputs that merges and concats keep in L1 are reserved until their last reader. */
  readonly reservesMerges: boolean;
  /** Whether a chain may read all outputs that fit from L1, largest first; otherwise only the largest one. */
  readonly mergesAllOutputs: boolean;
  /**
   * Whether a reshape stays in DRAM if L1 brings no gain: views, and operands of a reshape that is not kept
   * in L1.
   */
  readonly keepsReshapesThatGain: boolean;
  /** Whether every op that runs while inputs of a concat wait is checked; otherwise only the chains of its operands. */
  readonly checksConcatSchedule: boolean;
  /**
   * Whether an input of a concat may have other readers, which must accept its layout; upstream requires a
   * single use.
   */
  readonly sharesConcatInputs: boolean;
  /**
   * Whether the solver picks the layout in which a chain reads the result of a dispatch, and the dispatch
   * writes it.
   */
  readonly solvesDispatchInputs: boolean;
  /** Whether `df-sharding-2` keeps chains unmerged if the merged ones are predicted to be slower. */
  readonly comparesWithUnmerged: boolean;
  /**
   * Whether the interleaved policies obey `--tensor-l1-usage-cap`, which upstream looks up in the wrong
   * module.
   */
  readonly readsL1Cap: boolean;
  /** Whether an op may free more than it takes; upstream computes the difference as an unsigned number. */
  readonly signedL1Growth: boolean;
}

/** @param documented the rules of the documents; otherwise those that upstream implements (`--legacy-quirks`) */
function conventions(documented: boolean): Conventions {
  return {
    chainsEveryEltwise: documented,
    foldsMatmulBatch: documented,
    offersMadeLayouts: documented,
    countsOperandBytes: documented,
    seesWaitingOutputs: documented,
    waitsBehindItsOp: documented,
    reservesMerges: documented,
    mergesAllOutputs: documented,
    keepsReshapesThatGain: documented,
    checksConcatSchedule: documented,
    sharesConcatInputs: documented,
    solvesDispatchInputs: documented,
    comparesWithUnmerged: documented,
    readsL1Cap: documented,
    signedL1Growth: documented,
  };
}

/** The documented rules. */
export const CURRENT_CONVENTIONS: Conventions = conventions(true);

/** The rules that upstream implements (`--legacy-quirks`). */
export const LEGACY_CONVENTIONS: Conventions = conventions(false);
