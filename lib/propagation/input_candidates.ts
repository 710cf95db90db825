// SPDX-License-Identifier: Apache-2.0
import type { Use, ValueId } from "../graph/graph.ts";
import type { TensorShape } from "../ops/op_signature.ts";
import type { LayoutId } from "../layout/layout_table.ts";
import type { OpEvaluator } from "../search/op_evaluator.ts";
import type { OpRoles } from "../search/op_roles.ts";
import type { InputCandidate } from "./combinations.ts";

/** One layout that a producer offers, with its cost relative to the producer's best slot. */
export interface ProducerOffer {
  readonly layout: LayoutId | undefined;
  /** Beam slot; `-1` if no op produces the value. */
  readonly slot: number;
  /** Added to the priority of every candidate that starts from this offer. */
  readonly priority: number;
}

/** The candidate of an operand that is no tensor; base of candidates that cost nothing. */
export const UNFED: InputCandidate = {
  layout: undefined,
  slot: -1,
  isReshard: false,
  reshardMicroseconds: 0,
  priority: 0,
};

/** Priority of a reshard, from its µs. */
export type ReshardPriority = (microseconds: number) => number;

/** An operand of an op, with the value that it reads. */
export interface OperandUse extends Use {
  readonly value: ValueId;
}

/** Options for the candidates of an operand. */
export interface InputCandidateOptions {
  readonly priorityOf: ReshardPriority;
  /** `--max-input-candidates-per-operand`; the producer's offers are kept beyond it. */
  readonly limit: number;
}

/**
 * Candidates for one operand of a decided op, in the order of tt-mlir:memory-layout-propagation: the
 * producer's offers, layouts of overrides, interleaved L1 and DRAM if an offer is in L1, reshard targets from
 * the operand's shape; if the op accepts none of them, interleaved DRAM. Pinned values have only the offers. Per
 * layout, the candidate of least priority is kept.
 */
export function inputCandidates(
  evaluator: OpEvaluator,
  roles: OpRoles,
  use: OperandUse,
  offers: readonly ProducerOffer[],
  { priorityOf, limit }: InputCandidateOptions,
): readonly InputCandidate[] {
  const { op, operand, value } = use;
  const { tensor } = evaluator.value(value);
  const signature = evaluator.signature(op);
  if (tensor === undefined) return [UNFED];
  const { ordered, accepts } = acceptanceOf(evaluator, use);
  const found = new Map<LayoutId, InputCandidate>();
  const add = (layout: LayoutId, offer: ProducerOffer): void => {
    if (offer.layout === undefined || !accepts(layout)) return;
    const reshard = evaluator.reshard(tensor, offer.layout, layout);
    if (reshard === undefined) return;
    const isReshard = layout !== offer.layout;
    const priority = offer.priority + (isReshard ? priorityOf(reshard.microseconds) : 0);
    const cached = found.get(layout);
    if (cached !== undefined && cached.priority <= priority) return;
    found.set(layout, {
      layout,
      slot: offer.slot,
      isReshard,
      reshardMicroseconds: reshard.microseconds,
      priority,
    });
  };
  for (const offer of offers) {
    if (offer.layout !== undefined) add(offer.layout, offer);
  }
  if (roles.pinned[value] === true) return [...found.values()];
  const like = offers.find((offer) => offer.layout !== undefined)?.layout;
  if (like === undefined) return [...found.values()];
  const offeredL1 = offers.some((offer) => offer.layout !== undefined && evaluator.facts(offer.layout).isL1);
  const refuges = offeredL1 ? refugesOf(evaluator, tensor, like) : [];
  const isExplored = roles.constantDerived[value] !== true &&
    evaluator.opModel.exploresReshards(signature, operand);
  const explored = isExplored ? reshardTargets(evaluator, tensor, like, signature.results[0]) : [];
  for (const target of [...ordered, ...refuges, ...explored]) {
    if (found.size >= limit && !found.has(target)) continue;
    for (const offer of offers) add(target, offer);
  }
  if (found.size === 0) {
    for (const offer of offers) add(evaluator.interleaved(tensor, like, "dram"), offer);
  }
  return [...found.values()];
}

/** The layouts in which an op reads an operand. */
interface OperandAcceptance {
  /** Those that the user ordered (`--insert-memreconfig`). */
  readonly ordered: readonly LayoutId[];
  /** Whether the op reads a layout. It refuses all others, whose cheaper candidates would crowd out the accepted ones. */
  accepts(layout: LayoutId): boolean;
}

/** The layouts in which an op reads an operand: those that its kernel accepts, in the memory that the user ordered. */
export function acceptanceOf(evaluator: OpEvaluator, { op, operand }: Use): OperandAcceptance {
  const signature = evaluator.signature(op);
  const ordered = evaluator.overrides.memReconfigLayouts(op, operand);
  const memories = new Set(ordered.map((layout) => evaluator.facts(layout).uniformKey));
  return {
    ordered,
    accepts: (layout) =>
      evaluator.opModel.acceptsInput(signature, operand, layout) &&
      (ordered.length === 0 || memories.has(evaluator.facts(layout).uniformKey)),
  };
}

/** Interleaved layouts, in case that the op refuses a tensor's shards; L1 only where layouts in L1 are enabled. */
function refugesOf(evaluator: OpEvaluator, tensor: TensorShape, like: LayoutId): readonly LayoutId[] {
  const memories = evaluator.limits.enableL1ShardingLayouts ? ["l1", "dram"] as const : ["dram"] as const;
  return memories.map((memory) => evaluator.interleaved(tensor, like, memory));
}

/**
 * Reshard targets whose grid has at most as many cores as the result has tiles
 * (tt-mlir:memory-layout-propagation).
 */
function reshardTargets(
  evaluator: OpEvaluator,
  tensor: TensorShape,
  like: LayoutId,
  result: TensorShape | undefined,
): readonly LayoutId[] {
  const tiles = tilesOf(result);
  return evaluator.catalog.reshardTargets(tensor, like).filter((id) =>
    evaluator.facts(id).gridVolume <= tiles
  );
}

/** Number of tiles of a result; unlimited for a scalar and without a result. */
export function tilesOf(result: TensorShape | undefined): number {
  if (result === undefined || result.shape.length === 0) return Infinity;
  const { shape } = result;
  const width = shape.at(-1) ?? 1;
  const volume = shape.reduce((product, extent) => product * extent, 1);
  if (width === 0) return 0;
  return Math.ceil(volume / width / 32) * Math.ceil(width / 32);
}
