// SPDX-License-Identifier: Apache-2.0

/** One read of a tensor that lives in L1. */
export interface SpillUse {
  readonly step: number;
  /** Extra µs of reading DRAM directly; `Infinity` if the reader needs L1. */
  readonly directCost: number;
  /** Extra bytes of circular buffers in that case. */
  readonly directBytes: number;
}

/** A tensor that may leave L1 between its uses. Costs are in µs. */
export interface SpillTensor {
  /** Bytes per core while it is in L1. */
  readonly bytes: number;
  /** Step that produces it. */
  readonly definedAt: number;
  /** In ascending order of steps, after the definition, one per step. */
  readonly uses: readonly SpillUse[];
  /**
   * µs of the copy to DRAM, made once, right after the definition or after a use; `Infinity` if it cannot be
   * made.
   */
  readonly storeCost: number;
  /** Extra µs of being produced in DRAM; `Infinity` if its op cannot. */
  readonly inDramCost: number;
  /** Extra bytes of circular buffers at the definition if it is produced in DRAM; may be negative. */
  readonly inDramBytes: number;
  /** µs of one copy back to L1, directly before a use. */
  readonly reloadCost: number;
}

/**
 * Spill selection on a frozen schedule with frozen layouts: a 0/1 choice per tensor and gap between its uses.
 * Optimal for byte sums; addresses are checked afterwards (derived:exact-spills).
 */
export interface SpillProblem {
  /** Bytes per core that the tensors may fill at each step; everything that cannot move is already subtracted. */
  readonly capacity: readonly number[];
  readonly tensors: readonly SpillTensor[];
}

/** Where one tensor is at its definition and at each use. */
export interface TensorResidency {
  /** Whether it is produced in DRAM. */
  readonly inDram: boolean;
  /** Per use: whether the tensor stays in L1 from the previous event (definition or use) to this use. */
  readonly resident: readonly boolean[];
  /** Per use: whether the reader reads L1 (the tensor itself or a reload) rather than DRAM. */
  readonly fromL1: readonly boolean[];
}

/** A choice for all tensors of a problem. */
export interface SpillChoice {
  readonly tensors: readonly TensorResidency[];
  /** Extra µs over keeping everything in L1: copies, and ops that read or produce DRAM. */
  readonly cost: number;
}

/** Everything stays in L1, at no cost, whether or not it fits. */
export function allResident(problem: SpillProblem): SpillChoice {
  return {
    cost: 0,
    tensors: problem.tensors.map((tensor) => ({
      inDram: false,
      resident: tensor.uses.map(() => true),
      fromL1: tensor.uses.map(() => true),
    })),
  };
}

/** µs that a residency adds for one tensor; `Infinity` if it is inconsistent. */
export function residencyCost(tensor: SpillTensor, choice: TensorResidency): number {
  let cost = choice.inDram ? tensor.inDramCost : 0;
  let inL1 = !choice.inDram;
  let stored = choice.inDram;
  tensor.uses.forEach((use, index) => {
    const resident = choice.resident[index] === true;
    const fromL1 = choice.fromL1[index] === true;
    if (resident && (!inL1 || !fromL1)) cost = Infinity;
    if (!resident && !stored) {
      cost += tensor.storeCost;
      stored = true;
    }
    if (!resident) cost += fromL1 ? tensor.reloadCost : use.directCost;
    inL1 = fromL1;
  });
  return cost;
}

/** Bytes per core that the tensors fill at each step under a choice, extra circular buffers included. */
export function residencyBytes(problem: SpillProblem, choice: SpillChoice): readonly number[] {
  const bytes = problem.capacity.map(() => 0);
  const add = (from: number, to: number, amount: number): void => {
    for (let step = from; step <= to; step++) bytes[step] = (bytes[step] ?? 0) + amount;
  };
  problem.tensors.forEach((tensor, index) => {
    const residency = choice.tensors[index];
    if (residency === undefined) return;
    add(tensor.definedAt, tensor.definedAt, residency.inDram ? tensor.inDramBytes : tensor.bytes);
    let event = tensor.definedAt;
    tensor.uses.forEach((use, number) => {
      if (residency.resident[number] === true) add(event + 1, use.step - 1, tensor.bytes);
      add(use.step, use.step, residency.fromL1[number] === true ? tensor.bytes : use.directBytes);
      event = use.step;
    });
  });
  return bytes;
}
