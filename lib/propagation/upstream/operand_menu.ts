// SPDX-License-Identifier: Apache-2.0
import type { TensorShape } from "../../ops/op_signature.ts";
import type { LayoutId, LayoutIds } from "../../layout/layout_table.ts";
import type { LayoutCatalog } from "../../search/layout_catalog.ts";
import type { OpEvaluator } from "../../search/op_evaluator.ts";
import type { OpRoles } from "../../search/op_roles.ts";
import type { InputCandidate } from "../combinations.ts";
import { acceptanceOf, type OperandUse, tilesOf, UNFED } from "../input_candidates.ts";

/**
 * Candidates for the operands of ops, as tt-mlir's compiler lists them (tt-mlir:memory-layout-propagation):
 * every slot of the producer's beam, L1 interleaved for shards, then reshard targets. Equal layouts from two
 * slots are two candidates.
 */
export class OperandMenu {
  readonly #evaluator: OpEvaluator;
  readonly #roles: OpRoles;
  readonly #catalog: LayoutCatalog;
  /** `--max-input-candidates-per-operand` */
  readonly #limit: number;

  /** @param catalog layouts in the compiler's order */
  constructor(evaluator: OpEvaluator, roles: OpRoles, catalog: LayoutCatalog, limit: number) {
    this.#evaluator = evaluator;
    this.#roles = roles;
    this.#catalog = catalog;
    this.#limit = limit;
  }

  /**
   * @param beam the layout of the value in each slot of its producer's beam; `undefined` if the producer has
   * none
   */
  of(use: OperandUse, beam: LayoutIds | undefined): readonly InputCandidate[] {
    const evaluator = this.#evaluator;
    const { tensor } = evaluator.value(use.value);
    if (tensor === undefined) return [UNFED];
    const offers = beam === undefined
      ? [free(evaluator.declared[use.value], -1)]
      : beam.flatMap((layout, slot) => layout === undefined ? [] : [free(layout, slot)]);
    const like = evaluator.declared[use.value] ?? offers[0]?.layout;
    if (like === undefined || this.#roles.pinned[use.value] === true) return offers;
    const found = [...offers, ...this.#fromHost(tensor, like, offers)];
    if (beam !== undefined) found.push(...this.#refuges(tensor, like, offers));
    const isExplored = this.#roles.constantDerived[use.value] !== true &&
      evaluator.opModel.exploresReshards(evaluator.signature(use.op), use.operand);
    if (isExplored) {
      for (const target of this.#targets(use, tensor, like, found)) {
        found.push(...this.#resharded(tensor, offers, target, this.#limit - found.length));
      }
    }
    const { ordered, accepts } = acceptanceOf(evaluator, use);
    for (const target of ordered) found.push(...this.#resharded(tensor, offers, target, Infinity));
    const taken = found.filter(({ layout }) => layout !== undefined && accepts(layout));
    if (taken.length > 0) return taken.slice(0, ordered.length > 0 ? Infinity : this.#limit);
    const dram = evaluator.interleaved(tensor, like, "dram");
    const [refuge] = this.#resharded(tensor, offers, dram, 1);
    return refuge === undefined ? [] : [refuge];
  }

  /** A host tensor as DRAM interleaved; the compiler never has such operands. */
  #fromHost(
    tensor: TensorShape,
    like: LayoutId,
    offers: readonly InputCandidate[],
  ): readonly InputCandidate[] {
    const evaluator = this.#evaluator;
    const onHost = offers.filter(({ layout }) =>
      layout !== undefined && evaluator.layouts.get(layout).bufferType === "system_memory"
    );
    return this.#resharded(tensor, onHost, evaluator.interleaved(tensor, like, "dram"), Infinity);
  }

  /** Every sharded slot as L1 interleaved, if no slot is L1 interleaved. */
  #refuges(
    tensor: TensorShape,
    like: LayoutId,
    offers: readonly InputCandidate[],
  ): readonly InputCandidate[] {
    const evaluator = this.#evaluator;
    if (!evaluator.limits.enableL1ShardingLayouts) return [];
    const target = evaluator.interleaved(tensor, like, "l1");
    if (offers.some(({ layout }) => layout === target)) return [];
    const sharded = offers.filter(({ layout }) => this.#isSharded(layout));
    return this.#resharded(tensor, sharded, target, Infinity);
  }

  /**
   * The shardings to reshard to, from every sharded candidate so far, and from the interleaved ones if the op accepts
   * none that is sharded; each with at most as many cores as the result has tiles.
   */
  #targets(
    { op, operand }: OperandUse,
    tensor: TensorShape,
    like: LayoutId,
    found: readonly InputCandidate[],
  ): readonly LayoutId[] {
    const evaluator = this.#evaluator;
    const signature = evaluator.signature(op);
    const fromInterleaved = !found.some(({ layout }) =>
      layout !== undefined && this.#isSharded(layout) &&
      evaluator.opModel.acceptsInput(signature, operand, layout)
    );
    const most = tilesOf(signature.results[0]);
    const shardings = this.#catalog.shardings(tensor, like)
      .filter((id) => evaluator.facts(id).gridVolume <= most);
    const present = new Set(found.map(({ layout }) => layout));
    const sources = new Set([like, ...present]);
    const targets = new Set<LayoutId>();
    for (const source of sources) {
      if (source === undefined || (!fromInterleaved && !this.#isSharded(source))) continue;
      for (const target of this.#stratified(shardings.filter((id) => id !== source))) {
        if (!present.has(target) && evaluator.opModel.acceptsInput(signature, operand, target)) {
          targets.add(target);
        }
      }
    }
    return [...targets];
  }

  /** The first layouts of each kind, most shards first. */
  #stratified(shardings: readonly LayoutId[]): readonly LayoutId[] {
    const evaluator = this.#evaluator;
    const { maxReshardCandidatesPerType } = evaluator.limits;
    const byKind = Map.groupBy(shardings, (id) => evaluator.layouts.get(id).memoryLayout);
    return KINDS.flatMap((kind) => byKind.get(kind)?.slice(0, maxReshardCandidatesPerType) ?? [])
      .toSorted((a, b) => evaluator.facts(b).gridVolume - evaluator.facts(a).gridVolume);
  }

  #resharded(
    tensor: TensorShape,
    offers: readonly InputCandidate[],
    target: LayoutId,
    most: number,
  ): readonly InputCandidate[] {
    const made: InputCandidate[] = [];
    for (const { layout, slot } of offers) {
      if (made.length >= most) break;
      // Copies between memories keep the pages.
      const isMove = layout !== undefined && layout !== target &&
        this.#evaluator.isTiled(layout) === this.#evaluator.isTiled(target);
      const reshard = !isMove ? undefined : this.#evaluator.reshard(tensor, layout, target);
      if (reshard === undefined || reshard.via !== undefined) continue;
      const reshardMicroseconds = reshard.microseconds;
      made.push({ layout: target, slot, isReshard: true, reshardMicroseconds, priority: 0 });
    }
    return made;
  }

  #isSharded(layout: LayoutId | undefined): boolean {
    return layout !== undefined && this.#evaluator.facts(layout).isSharded;
  }
}

/** Kinds of sharding in the order of tt-mlir's enumeration. */
const KINDS = ["height_sharded", "width_sharded", "block_sharded"] as const;

function free(layout: LayoutId | undefined, slot: number): InputCandidate {
  return { ...UNFED, layout, slot };
}
