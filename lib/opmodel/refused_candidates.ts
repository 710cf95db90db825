// SPDX-License-Identifier: Apache-2.0
import type { TtnnLayout } from "../layout/ttnn_layout.ts";
import { definitionOf } from "../ops/op_book.ts";
import type { OpSignature } from "../ops/op_signature.ts";
import type { Candidate, CandidateFilter } from "./candidate_filter.ts";

/** Kinds of configs of ops whose weights a plan writes in another form. */
const PREPARES_WEIGHTS: ReadonlySet<string> = new Set(["conv2d", "conv3d"]);

/**
 * Ways to run an op that the backend was seen to refuse though the rule book takes them: an op model refuses them too. A
 * way is the op with the layouts of its operands and its result; its config does not count, so that a search does not
 * try one after another.
 */
export class RefusedCandidates implements CandidateFilter {
  readonly readsAsRule = false;
  readonly #words: Map<string, string> = new Map();

  /** How many there are. */
  get size(): number {
    return this.#words.size;
  }

  /**
   * Adds a way.
   *
   * @param words what the backend said
   * @returns whether it is new
   */
  add(
    op: OpSignature,
    inputs: readonly (TtnnLayout | undefined)[],
    output: TtnnLayout | undefined,
    words: string,
  ): boolean {
    const key = candidateKey(op, inputs, output);
    if (this.#words.has(key)) return false;
    this.#words.set(key, words);
    return true;
  }

  /** What the backend said of a way; `undefined` if it was not refused. */
  refusalOf(
    { op, inputs, outputs: [output] }: Pick<Candidate, "op" | "inputs" | "outputs">,
  ): string | undefined {
    return this.#words.size === 0 ? undefined : this.#words.get(candidateKey(op, inputs, output));
  }
}

function candidateKey(
  op: OpSignature,
  inputs: readonly (TtnnLayout | undefined)[],
  output: TtnnLayout | undefined,
): string {
  const kind = definitionOf(op.name).config?.kind ?? "";
  const read = PREPARES_WEIGHTS.has(kind) ? 1 : inputs.length;
  const operands = op.operands.slice(0, read).map((
    operand,
    index,
  ) => [operand?.shape, layoutKey(inputs[index])]);
  return JSON.stringify([op.name, operands, op.results.map((result) => result?.shape), layoutKey(output)]);
}

function layoutKey(layout: TtnnLayout | undefined): unknown {
  if (layout === undefined) return undefined;
  const { bufferType, memoryLayout, dataType, tile, gridShape, shardShape, coreRanges } = layout;
  return [bufferType, memoryLayout, dataType, tile, gridShape, shardShape, coreRanges];
}
