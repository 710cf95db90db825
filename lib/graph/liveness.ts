// SPDX-License-Identifier: Apache-2.0

/** A tensor that a step of a schedule defines. */
export interface TensorDefinition {
  /** Id of the defined tensor. */
  readonly tensor: number;
  /** Tensor whose buffer it shares (view) or overwrites (in place); `undefined` for a buffer of its own. */
  readonly aliasOf: number | undefined;
}

/** One step of a schedule in the form that liveness needs. */
export interface LivenessStep {
  /** Tensors that it needs; repetitions are allowed. */
  readonly reads: readonly number[];
  /** Tensors that it defines; the tensors that it reads are still live then. */
  readonly defines: readonly TensorDefinition[];
}

/** Lifetimes of tensors and buffers; positions are indices of steps, both ends inclusive. */
export interface Liveness {
  /** Step that defines the tensor; `-1` if it is live before the first step, `-2` if it is never defined. */
  readonly definedAt: Int32Array;
  /**
   * Last step that reads the tensor itself; the step that defines it, or `-1`, if there is none; `steps.length` if
   * it is live at the end.
   */
  readonly lastUse: Int32Array;
  /** Tensor that owns the buffer: the end of its chain of aliases. */
  readonly owner: Int32Array;
  /** Last step at which an owner's buffer is needed, by the owner or an alias. */
  readonly bufferEnd: Int32Array;
}

/**
 * Liveness of tensors over any schedule. A buffer lives from the step that defines its owner to the last use of
 * the owner or of any tensor that shares the buffer (tt-mlir:l1-spill-management: a view never frees the buffer
 * that it shares).
 *
 * @param tensors number of tensors; ids are `0 … tensors − 1`
 * @param liveIn tensors that exist before the first step
 * @param liveOut tensors that must survive the last step
 * @throws {RangeError} if a step reads a tensor that is not defined before it
 */
export function computeLiveness(
  tensors: number,
  steps: readonly LivenessStep[],
  liveIn: readonly number[],
  liveOut: readonly number[],
): Liveness {
  const definedAt = new Int32Array(tensors).fill(-2);
  const lastUse = new Int32Array(tensors).fill(-2);
  const owner = new Int32Array(tensors);
  for (let tensor = 0; tensor < tensors; tensor++) owner[tensor] = tensor;
  for (const tensor of liveIn) {
    definedAt[tensor] = -1;
    lastUse[tensor] = -1;
  }
  // Pass 2 computes the liveness of a whole function after every few spills, so the loops are by index and
  // allocate nothing.
  for (let position = 0; position < steps.length; position++) {
    const step = steps[position];
    if (step === undefined) continue;
    const { reads, defines } = step;
    for (let read = 0; read < reads.length; read++) {
      const tensor = reads[read] ?? -1;
      if (definedAt[tensor] === -2) {
        throw new RangeError(
          `Cannot schedule step ${position}: it reads tensor ${tensor} before its definition`,
        );
      }
      if ((lastUse[tensor] ?? -2) < position) lastUse[tensor] = position;
    }
    for (let index = 0; index < defines.length; index++) {
      const definition = defines[index];
      if (definition === undefined) continue;
      const { tensor, aliasOf } = definition;
      definedAt[tensor] = position;
      lastUse[tensor] = position;
      if (aliasOf !== undefined) owner[tensor] = owner[aliasOf] ?? aliasOf;
    }
  }
  for (const tensor of liveOut) lastUse[tensor] = steps.length;
  const bufferEnd = new Int32Array(tensors).fill(-2);
  for (let tensor = 0; tensor < tensors; tensor++) {
    const buffer = owner[tensor] ?? tensor;
    bufferEnd[buffer] = Math.max(bufferEnd[buffer] ?? -2, lastUse[tensor] ?? -2);
  }
  return { definedAt, lastUse, owner, bufferEnd };
}

/** Tensors in groups, as linked lists in order of their ids; `-1` ends a list. */
export interface GroupedTensors {
  /** First tensor per group. */
  readonly first: Int32Array;
  /** Per tensor: the next one of the same group. */
  readonly next: Int32Array;
}

/** Groups owners by the step at which their buffers end; those that end at no step are in no list. */
export function buffersByEnd({ bufferEnd }: Liveness, steps: number): GroupedTensors {
  return grouped(bufferEnd.length, steps, (tensor) => bufferEnd[tensor]);
}

/** Groups tensors by the owner of their buffer; those that are never defined are in no list. */
export function tensorsByOwner({ owner, definedAt }: Liveness): GroupedTensors {
  return grouped(
    owner.length,
    owner.length,
    (tensor) => definedAt[tensor] === -2 ? undefined : owner[tensor],
  );
}

/** @param groupOf a number outside of the groups, or none, for a tensor in no list */
function grouped(
  tensors: number,
  groups: number,
  groupOf: (tensor: number) => number | undefined,
): GroupedTensors {
  const first = new Int32Array(groups).fill(-1);
  const next = new Int32Array(tensors).fill(-1);
  for (let tensor = tensors - 1; tensor >= 0; tensor--) {
    const group = groupOf(tensor) ?? -1;
    if (group < 0 || group >= groups) continue;
    next[tensor] = first[group] ?? -1;
    first[group] = tensor;
  }
  return { first, next };
}
