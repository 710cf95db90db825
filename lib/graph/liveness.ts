// SPDX-License-Identifier: Apache-2.0

/** Where a step of a schedule puts what it defines. */
export interface Definition {
  /** Id of the tensor that comes into being. */
  readonly tensor: number;
  /** Tensor whose buffer it shares (view) or overwrites (in place); `undefined` for a buffer of its own. */
  readonly aliasOf: number | undefined;
}

/** What liveness needs of one step of a schedule. */
export interface LivenessStep {
  /** Tensors that it needs; repeats do no harm. */
  readonly reads: readonly number[];
  /** What comes into being; the step's reads are still alive then. */
  readonly defines: readonly Definition[];
}

/** Life of tensors and buffers; positions are indices of steps, both ends inclusive. */
export interface Liveness {
  /** Step that defines the tensor; `-1` when it is live before the first step, `-2` when it is never defined. */
  readonly definedAt: Int32Array;
  /** Last step that reads the tensor itself; its definition when none does, `steps.length` when live at the end. */
  readonly lastUse: Int32Array;
  /** Tensor that owns the buffer: the end of the chain of aliases. */
  readonly owner: Int32Array;
  /** Last step at which the buffer of an owner is needed by it or by any alias. */
  readonly bufferEnd: Int32Array;
}

/**
 * Liveness of tensors over any schedule. A buffer lives from the step that defines its owner to the last use of the
 * owner or of any tensor that shares the buffer (tt-mlir:l1-spill-management: a view never frees what it looks at).
 *
 * @param tensors number of tensors; ids are `0 … tensors − 1`
 * @param liveIn tensors that exist before the first step and are never freed
 * @param liveOut tensors that must survive the last step
 * @throws {RangeError} when a step reads a tensor that is not defined before it
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
    lastUse[tensor] = steps.length;
  }
  // Pass 2 asks for the liveness of a whole function after every few spills: loops by index, which allocate nothing.
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

/** Owners whose buffers end at each step, in order of their id, as chains: `-1` ends one. */
export interface BuffersByEnd {
  /** Per step. */
  readonly first: Int32Array;
  /** Per tensor: the next of the same step. */
  readonly next: Int32Array;
}

/** Sorts owners by the step at which their buffers end; those that end at no step are in no chain. */
export function buffersByEnd({ owner, bufferEnd }: Liveness, steps: number): BuffersByEnd {
  const first = new Int32Array(steps).fill(-1);
  const next = new Int32Array(owner.length).fill(-1);
  for (let tensor = owner.length - 1; tensor >= 0; tensor--) {
    const end = bufferEnd[tensor] ?? -2;
    if (owner[tensor] !== tensor || end < 0 || end >= steps) continue;
    next[tensor] = first[end] ?? -1;
    first[end] = tensor;
  }
  return { first, next };
}
