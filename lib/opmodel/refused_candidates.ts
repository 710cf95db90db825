// SPDX-License-Identifier: Apache-2.0
import type { TtnnLayout } from "../layout/ttnn_layout.ts";
import { definitionOf } from "../ops/op_book.ts";
import type { OpSignature } from "../ops/op_signature.ts";
import type { Candidate, CandidateFilter } from "./candidate_filter.ts";

/** Grids on which kinds of layouts are refused before no other grid is tried. */
const GRIDS_TRIED = 2;

/** Kinds of configs of ops whose weights a plan writes in another form. */
const PREPARES_WEIGHTS: ReadonlySet<string> = new Set(["conv2d", "conv3d"]);

/**
 * Ways to run an op that the backend was seen to refuse though the rule book takes them: an op model refuses them too. A
 * way is the op with the layouts of its operands and its result; its config does not count, so that a search does not
 * try one after another. Nor does it try one grid after another: kinds of memory and sharding that are refused on
 * {@linkcode GRIDS_TRIED} grids are refused on every grid.
 */
export class RefusedCandidates implements CandidateFilter {
  readonly readsAsRule = false;
  readonly #words: Map<string, string> = new Map();
  /** What was said of ways whose layouts are of these kinds. */
  readonly #wordsOfKinds: Map<string, string[]> = new Map();

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
    const key = candidateKey(op, inputs, output, layoutKey);
    if (this.#words.has(key)) return false;
    this.#words.set(key, words);
    const kinds = candidateKey(op, inputs, output, kindKey);
    this.#wordsOfKinds.set(kinds, [...this.#wordsOfKinds.get(kinds) ?? [], words]);
    return true;
  }

  /** What the backend said of a way; `undefined` if it was not refused. */
  refusalOf(
    { op, inputs, outputs: [output] }: Pick<Candidate, "op" | "inputs" | "outputs">,
  ): string | undefined {
    if (this.#words.size === 0) return undefined;
    const words = this.#words.get(candidateKey(op, inputs, output, layoutKey));
    if (words !== undefined) return words;
    const ofKinds = this.#wordsOfKinds.get(candidateKey(op, inputs, output, kindKey)) ?? [];
    return ofKinds.length < GRIDS_TRIED ? undefined : ofKinds.at(-1);
  }
}

function candidateKey(
  op: OpSignature,
  inputs: readonly (TtnnLayout | undefined)[],
  output: TtnnLayout | undefined,
  keyOf: (layout: TtnnLayout | undefined) => unknown,
): string {
  const kind = definitionOf(op.name).config?.kind ?? "";
  const read = PREPARES_WEIGHTS.has(kind) ? 1 : inputs.length;
  const operands = op.operands.slice(0, read).map((
    operand,
    index,
  ) => [operand?.shape, keyOf(inputs[index])]);
  return JSON.stringify([op.name, operands, op.results.map((result) => result?.shape), keyOf(output)]);
}

function layoutKey(layout: TtnnLayout | undefined): unknown {
  if (layout === undefined) return undefined;
  const { bufferType, memoryLayout, dataType, tile, gridShape, shardShape, coreRanges } = layout;
  return [bufferType, memoryLayout, dataType, tile, gridShape, shardShape, coreRanges];
}

/** The kind of a layout; ways with an interleaved result and interleaved operands have no grid that could be another. */
function kindKey(layout: TtnnLayout | undefined): unknown {
  return layout === undefined
    ? undefined
    : [layout.bufferType, layout.memoryLayout, layout.dataType, layout.tile];
}
