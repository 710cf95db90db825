// SPDX-License-Identifier: Apache-2.0
import type { OpId } from "../graph/graph.ts";
import { nameOfLocation } from "../overrides/overrides.ts";
import { isOverBanks, isSharded } from "../layout/ttnn_layout.ts";
import type { LayoutTable } from "../layout/layout_table.ts";
import type { OpSpecificAttributes } from "../op_config/op_config.ts";
import type { HintConfigs, OutputHint } from "../opmodel/op_model.ts";
import { type ComputedOp, moreExact, withComputeConfigs } from "./compute_configs.ts";
import type { FunctionModel } from "./function_model.ts";
import { type CandidateLimits, firstOfEachSharding, type LayoutCatalog } from "./layout_catalog.ts";
import type { OverriddenOps } from "./op_overrides.ts";

/** Hints of an op; fallback ones are used if no primary one gave a sharded result. */
export interface Hints {
  readonly primary: readonly OutputHint[];
  readonly fallback: readonly OutputHint[];
}

/** The hints in the given order, at most `most` sharded ones per type. */
export function trimHints(
  hints: readonly OutputHint[],
  layouts: LayoutTable,
  most: number,
): readonly OutputHint[] {
  return firstOfEachSharding(hints, most, ({ layout }) => {
    const hinted = layout === undefined ? undefined : layouts.get(layout);
    return hinted !== undefined && isSharded(hinted) ? hinted.memoryLayout : undefined;
  });
}

/** The hints with which the ops of a function are queried. */
export class OpHints {
  readonly #model: FunctionModel;
  readonly #catalog: LayoutCatalog;
  readonly #limits: CandidateLimits;
  readonly #overrides: OverriddenOps;
  readonly #configs: HintConfigs;

  /** @param configs op configs of the hints, for ops whose weights do not lie over the banks of DRAM */
  constructor(
    model: FunctionModel,
    catalog: LayoutCatalog,
    limits: CandidateLimits,
    overrides: OverriddenOps,
    configs: HintConfigs,
  ) {
    this.#model = model;
    this.#catalog = catalog;
    this.#limits = limits;
    this.#overrides = overrides;
    this.#configs = configs;
  }

  /** Equal for ops that get equal hints, among ops with equal signatures and declared results. */
  keyOf(op: OpId): string {
    const isOverBanks = this.#configsOf(op) === "dram_sharded";
    return `${this.#overrides.nameOf(op) ?? ""}|${isOverBanks ? "banks" : ""}|${
      this.#keepsFidelity(op) ? "kept" : ""
    }`;
  }

  /** The hints that the op's rule offers for its legal results; empty for ops without a result. */
  offered(op: OpId): Hints {
    const [result] = this.#model.op(op).results;
    const { tensor, layout } = result === undefined ? {} : this.#model.value(result);
    const legal = tensor === undefined || layout === undefined
      ? []
      : this.#catalog.legalOutputs(tensor, layout);
    return this.#model.opModel.outputHints(this.#model.signature(op), legal, this.#configsOf(op));
  }

  /** Configs by the declared layout of a matmul's weight, in which the weight is always read. */
  #configsOf(op: OpId): HintConfigs {
    const weight = this.#model.traits(op).costClass === "matmul"
      ? this.#model.asInput(op).inputs[1]
      : undefined;
    return weight !== undefined && isOverBanks(this.#model.layouts.get(weight))
      ? "dram_sharded"
      : this.#configs;
  }

  /**
   * The hints to query, in this order: the offered ones with the compute configs to try; of fallback ones only so
   * many of each sharding type as `maxReshardCandidatesPerType` allows.
   */
  tried(op: OpId, { primary, fallback }: Hints): Hints {
    const { maxReshardCandidatesPerType } = this.#limits;
    return {
      primary: this.#withComputeConfigs(op, primary),
      fallback: this.#withComputeConfigs(
        op,
        trimHints(fallback, this.#model.layouts, maxReshardCandidatesPerType),
      ),
    };
  }

  /** Whether the user keeps the math fidelity of the op, `--keep`. */
  #keepsFidelity(op: OpId): boolean {
    const { keptOps } = this.#limits;
    const name = keptOps === undefined || keptOps.size === 0
      ? undefined
      : nameOfLocation(this.#model.op(op).location);
    return name !== undefined && keptOps?.has(name) === true;
  }

  /** A config in the fidelities with more phases that the op may have; most phases first. */
  moreExact(op: OpId, config: OpSpecificAttributes): readonly OpSpecificAttributes[] {
    const { mathFidelities = [] } = this.#limits;
    return this.#keepsFidelity(op) ? [] : moreExact(config, mathFidelities, this.#computed(op));
  }

  #computed(op: OpId): ComputedOp {
    return {
      op: this.#model.signature(op),
      own: this.#model.ownConfig(op),
      architecture: this.#model.opModel.chip.architecture,
    };
  }

  /**
   * Hints as {@linkcode OpHints.tried} gives them, if the user allows other math fidelities than the op's own; else
   * unchanged: searches over many layouts try no other compute config unless the fidelity makes up for the queries.
   */
  inAllowedFidelities(op: OpId, hints: readonly OutputHint[]): readonly OutputHint[] {
    const { mathFidelities = [] } = this.#limits;
    return mathFidelities.length === 0 || this.#keepsFidelity(op)
      ? hints
      : this.#withComputeConfigs(op, hints);
  }

  /** Hints with the compute configs to try; unchanged for ops without a compute config. */
  #withComputeConfigs(op: OpId, hints: readonly OutputHint[]): readonly OutputHint[] {
    const { costClass } = this.#model.traits(op);
    if (costClass !== "matmul" && costClass !== "conv2d") return hints;
    const { mathFidelities = [] } = this.#limits;
    return withComputeConfigs(hints, this.#keepsFidelity(op) ? [] : mathFidelities, this.#computed(op));
  }
}
