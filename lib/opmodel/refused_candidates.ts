// SPDX-License-Identifier: Apache-2.0
import type { TtnnLayout } from "../layout/ttnn_layout.ts";
import { definitionOf } from "../ops/op_book.ts";
import type { OpSignature } from "../ops/op_signature.ts";
import type { Candidate, CandidateFilter } from "./candidate_filter.ts";

/** Grids on which a kind of layouts is refused before other grids are refused without a query. */
const GRIDS_TRIED = 2;

/** Kinds of configs of ops whose weights a plan writes in prepared form. */
const PREPARES_WEIGHTS: ReadonlySet<string> = new Set(["conv2d", "conv3d"]);

/**
 * Candidates that the backend refused although the rule book accepts them; the op model refuses them too. A candidate
 * is identified by the op's name, shapes, and operand and result layouts, without its config, so that a search does not
 * retry it with every config; nor by its attributes, since those of a written op hold its config: ops of equal shapes
 * that differ in attributes alone share their refusals. A kind (memory and sharding) that is refused on
 * {@linkcode GRIDS_TRIED} grids is refused on every grid.
 */
export class RefusedCandidates implements CandidateFilter {
  readonly readsAsRule = false;
  readonly #words: Map<string, string> = new Map();
  /** The backend's messages, by kind of layouts. */
  readonly #wordsOfKinds: Map<string, string[]> = new Map();

  /** Number of refused candidates. */
  get size(): number {
    return this.#words.size;
  }

  /**
   * Adds a candidate.
   *
   * @param words the backend's message
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

  /** The backend's message for a refused candidate; `undefined` if it was not refused. */
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

/** Equal for equal candidates, with layouts as `keyOf` tells them apart; of ops that prepare weights only operand 0 counts. */
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

/**
 * The kind of a layout, without its grid. All-interleaved candidates have no grid, so no other grid can be
 * inferred.
 */
function kindKey(layout: TtnnLayout | undefined): unknown {
  return layout === undefined
    ? undefined
    : [layout.bufferType, layout.memoryLayout, layout.dataType, layout.tile];
}
