// SPDX-License-Identifier: Apache-2.0
import { EXPLORED_PER_TYPE } from "./limits.ts";
import {
  type LegalPageLayouts,
  LegalTensorLayoutAnalysis,
  NO_LAYOUTS,
} from "../analysis/legal_tensor_layouts.ts";
import { stdSort } from "../analysis/std_sort.ts";
import type { ChipDescription } from "../device/chip_description.ts";
import { volume } from "../layout/extents.ts";
import type { TensorShape } from "../ops/op_signature.ts";
import type { LayoutId, LayoutTable } from "../layout/layout_table.ts";
import { shardBytes } from "../layout/make_layout.ts";
import { isSharded, type TtnnLayout } from "../layout/ttnn_layout.ts";
import type { MathFidelity } from "../op_config/math_fidelity.ts";

/** Limits of candidate generation, named as in ttmlir-opt. */
export interface CandidateLimits {
  /** Sharded layouts per op. */
  readonly maxLegalLayouts: number;
  /** Reshard targets per sharding type. */
  readonly maxReshardCandidatesPerType: number;
  /** Whether sharded layouts are candidates. */
  readonly enableL1ShardingLayouts: boolean;
  /** Whether row-major layouts are candidates. */
  readonly rowMajorEnabled: boolean;
  /** Fidelities that matmuls and convolutions may use besides their own. */
  readonly mathFidelities?: readonly MathFidelity[];
  /** Names of ops that keep their own fidelity nevertheless. */
  readonly keptOps?: ReadonlySet<string>;
}

/** Facts about a layout that hot loops need. */
export interface LayoutFacts {
  readonly isL1: boolean;
  readonly isSharded: boolean;
  /** Bytes per core if in L1, otherwise 0. */
  readonly l1Bytes: number;
  /** Bytes of the whole tensor, padded. */
  readonly totalBytes: number;
  /** Cores of the grid, or DRAM banks of shards. */
  readonly gridVolume: number;
  /** Equal for layouts with the same buffer type and memory layout; ignores the grid. */
  readonly kind: string;
  /** Equal for layouts with the same buffer type, memory layout and grid; ignores the tensor's shape. */
  readonly uniformKey: string;
}

/**
 * How shardings over equally many cores are ranked: block, height, width, or in the order of tt-mlir's
 * compiler (`tt-mlir:greedy-2026-10`).
 */
export type EqualShards = "by_kind" | "as_compiler";

/** Kinds of sharding in the order in which the compiler enumerates them. */
const SHARDINGS = ["block_sharded", "height_sharded", "width_sharded"] as const;

/** Layouts that tensors may have, made from their shapes on demand and cached. */
export class LayoutCatalog {
  readonly #chip: ChipDescription;
  readonly #layouts: LayoutTable;
  readonly #limits: CandidateLimits;
  readonly #equalShards: EqualShards;
  #legal: LegalTensorLayoutAnalysis | undefined;
  readonly #facts: LayoutFacts[] = [];
  readonly #targets: Map<string, readonly LayoutId[]> = new Map();
  /** Shardings in the compiler's order, by the list that was ranked. */
  readonly #ranked: WeakMap<readonly LayoutId[], readonly LayoutId[]> = new WeakMap();

  constructor(
    chip: ChipDescription,
    layouts: LayoutTable,
    limits: CandidateLimits,
    equalShards: EqualShards = "by_kind",
  ) {
    this.#chip = chip;
    this.#layouts = layouts;
    this.#limits = limits;
    this.#equalShards = equalShards;
  }

  /** Facts about a layout, worked out once. */
  facts(id: LayoutId): LayoutFacts {
    const cached = this.#facts[id];
    if (cached !== undefined) return cached;
    const layout = this.#layouts.get(id);
    const gridVolume = volume(layout.gridShape);
    const bytes = shardBytes(layout);
    const facts: LayoutFacts = {
      isL1: layout.bufferType === "l1",
      isSharded: isSharded(layout),
      l1Bytes: layout.bufferType === "l1" ? bytes : 0,
      totalBytes: bytes * gridVolume,
      gridVolume,
      kind: `${layout.bufferType}/${layout.memoryLayout}`,
      uniformKey: `${layout.bufferType}/${layout.memoryLayout}/${layout.gridShape.join("x")}`,
    };
    this.#facts[id] = facts;
    return facts;
  }

  /**
   * Sharded layouts that a tensor may be resharded to: at most `maxReshardCandidatesPerType` per sharding type,
   * most shards first.
   */
  reshardTargets(tensor: TensorShape, like: LayoutId): readonly LayoutId[] {
    const { maxReshardCandidatesPerType, rowMajorEnabled } = this.#limits;
    return this.#first(maxReshardCandidatesPerType, tensor, like, rowMajorEnabled);
  }

  /**
   * The {@linkcode EXPLORED_PER_TYPE} layouts with the most shards of every sharding type.
   *
   * @param hasRows whether a row-major tensor has any
   */
  mostShards(
    tensor: TensorShape,
    like: LayoutId,
    hasRows: boolean = this.#limits.rowMajorEnabled,
  ): readonly LayoutId[] {
    const perType = Math.min(EXPLORED_PER_TYPE, this.#limits.maxReshardCandidatesPerType);
    return this.#first(perType, tensor, like, hasRows);
  }

  /** The first `perType` sharded layouts of each type, most shards first. */
  #first(perType: number, tensor: TensorShape, like: LayoutId, hasRows: boolean): readonly LayoutId[] {
    if (!this.#limits.enableL1ShardingLayouts) return [];
    const layout = this.#layouts.get(like);
    const key = `${perType}:${hasRows}:${tensor.shape.join("x")}:${layout.dataType}:${
      layout.tile === undefined
    }`;
    return this.#targets.getOrInsertComputed(
      key,
      () =>
        firstOfEachSharding(
          this.#rankedShards(tensor, layout, hasRows),
          perType,
          (id) => this.#layouts.get(id).memoryLayout,
        ),
    );
  }

  /** Every sharded layout of a tensor, most shards first; empty if reshards are disabled. */
  shardings(tensor: TensorShape, like: LayoutId): readonly LayoutId[] {
    const { enableL1ShardingLayouts, maxReshardCandidatesPerType } = this.#limits;
    if (!enableL1ShardingLayouts || maxReshardCandidatesPerType === 0) return [];
    return this.#rankedShards(tensor, this.#layouts.get(like));
  }

  /**
   * Layouts that a result may have: the interleaved ones, then the most sharded ones, of which at most
   * `maxLegalLayouts`.
   */
  legalOutputs(tensor: TensorShape, declared: TtnnLayout): readonly LayoutId[] {
    const legal = this.#legalLayouts(tensor, declared);
    if (!this.#limits.enableL1ShardingLayouts) return legal.interleaved;
    const sharded = this.#rankedShards(tensor, declared);
    const { maxLegalLayouts } = this.#limits;
    // The compiler ranks the list again for each op, and then the trimmed list once more.
    return this.#equalShards === "by_kind"
      ? [...legal.interleaved, ...sharded.slice(0, maxLegalLayouts)]
      : [...legal.interleaved, ...this.#rank(this.#rank(sharded).slice(0, maxLegalLayouts))];
  }

  /** Every sharded layout of a tensor, most shards first. */
  #rankedShards(tensor: TensorShape, like: TtnnLayout, hasRows?: boolean): readonly LayoutId[] {
    const { sharded } = this.#legalLayouts(tensor, like, hasRows);
    if (this.#equalShards === "by_kind") return sharded;
    let ranked = this.#ranked.get(sharded);
    if (ranked === undefined) {
      const enumerated = SHARDINGS.flatMap((kind) =>
        sharded.filter((id) => this.#layouts.get(id).memoryLayout === kind).toSorted(this.#byEnumeration)
      );
      this.#ranked.set(sharded, ranked = this.#rank(enumerated));
    }
    return ranked;
  }

  #rank(layouts: readonly LayoutId[]): readonly LayoutId[] {
    return stdSort(layouts, (a, b) => this.facts(a).gridVolume > this.facts(b).gridVolume);
  }

  /** Fewer rows of cores first, then fewer columns. */
  readonly #byEnumeration = (a: LayoutId, b: LayoutId): number => {
    const [rows = 0, columns = 0] = this.#layouts.get(a).gridShape;
    const [otherRows = 0, otherColumns = 0] = this.#layouts.get(b).gridShape;
    return rows - otherRows || columns - otherColumns;
  };

  /**
   * Layouts of a tensor with the element format and pages of `like`. If row-major layouts are disabled, there are none
   * of rows; in the compiler's order tiles take their place.
   */
  #legalLayouts(
    tensor: TensorShape,
    like: TtnnLayout,
    hasRows: boolean = this.#limits.rowMajorEnabled,
  ): LegalPageLayouts {
    const isTiled = like.tile !== undefined || (this.#equalShards === "as_compiler" && !hasRows);
    if (!isTiled && !hasRows) return NO_LAYOUTS;
    this.#legal ??= new LegalTensorLayoutAnalysis(this.#chip, this.#layouts, { rowMajorEnabled: true });
    return this.#legal.pageLayoutsOf(tensor, like.dataType, isTiled ? "tiled" : "row_major");
  }
}

/** At most `most` items of each sharding type, in the given order, and all without one. */
export function firstOfEachSharding<Item>(
  items: readonly Item[],
  most: number,
  typeOf: (item: Item) => TtnnLayout["memoryLayout"],
): readonly Item[] {
  const taken = new Map<TtnnLayout["memoryLayout"], number>();
  return items.filter((item) => {
    const type = typeOf(item);
    const count = taken.get(type) ?? 0;
    taken.set(type, count + 1);
    return type === undefined || count < most;
  });
}
