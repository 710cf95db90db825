// SPDX-License-Identifier: Apache-2.0
import type { OpConfig } from "../analysis/op_config.ts";
import type { OpId } from "../graph/graph.ts";
import type { LayoutId } from "../layout/layout_table.ts";
import type { TensorMemoryLayout } from "../layout/ttnn_layout.ts";

/** State of a chain (tt-mlir `L1ChainState`). */
export type L1ChainState = "InBuild" | "Built" | "Resolved" | "Completed" | "Failed";

/**
 * Where the output of a chain goes (tt-mlir `SpillLocation`): it stays, or goes to L1 interleaved or DRAM
 * interleaved.
 */
export type SpillLocation = "None" | "L1Interleaved" | "DRAM";

/** A conversion of one operand of a chain op. */
export interface ChainReconfig {
  readonly op: OpId;
  readonly operand: number;
  /** Layout that the operand is converted to. */
  readonly layout: LayoutId;
}

/** A run of ops whose intermediate tensors stay in L1 (tt-mlir `L1ChainConfig`). */
export class L1ChainConfig {
  /** Index in the list of chains; names the chain in reasons. */
  readonly id: number;
  /** Whether the chain is a single concat, resolved after all others. */
  readonly isConcatChain: boolean;
  /** Memory layout that a concat prefers for the output of the chain's last op. */
  preferredOutputMemLayout: TensorMemoryLayout | undefined;
  spillLocation: SpillLocation = "None";
  readonly #ops: OpId[] = [];
  #state: L1ChainState = "InBuild";
  #configs: OpConfig[] = [];
  #reconfigs: readonly ChainReconfig[] = [];
  #failure: string | undefined;

  constructor(id: number, isConcatChain = false) {
    this.id = id;
    this.isConcatChain = isConcatChain;
  }

  get state(): L1ChainState {
    return this.#state;
  }

  /** Ops in execution order. */
  get ops(): readonly OpId[] {
    return this.#ops;
  }

  get firstOp(): OpId | undefined {
    return this.#ops[0];
  }

  get lastOp(): OpId | undefined {
    return this.#ops.at(-1);
  }

  /** Conversions of operands; none until the chain is completed. */
  get reconfigs(): readonly ChainReconfig[] {
    return this.#reconfigs;
  }

  /** Why the chain failed; `undefined` if it has not. */
  get failure(): string | undefined {
    return this.#failure;
  }

  /** Config of one op of the chain; `undefined` until it is completed, and for other ops. */
  configOf(op: OpId): OpConfig | undefined {
    return this.#configs[this.#ops.indexOf(op)];
  }

  /** Layout that an operand is converted to; `undefined` if it is read as it comes. */
  reconfigOf(op: OpId, operand: number): LayoutId | undefined {
    return this.reconfigs.find((entry) => entry.op === op && entry.operand === operand)?.layout;
  }

  /** Output layout of the last op; `undefined` until the chain is completed. */
  get outputLayout(): LayoutId | undefined {
    return this.#configs.at(-1)?.outputLayout;
  }

  /** @throws {Error} unless the chain is still being built */
  addOp(op: OpId): void {
    this.#expect("InBuild", `add op ${op}`);
    this.#ops.push(op);
  }

  /** InBuild → Built. */
  build(): void {
    this.#expect("InBuild", "build");
    this.#state = "Built";
  }

  /** Built → Resolved. */
  resolve(): void {
    this.#expect("Built", "resolve");
    this.#state = "Resolved";
  }

  /**
   * Resolved → Completed.
   *
   * @param configs one per op
   */
  complete(configs: readonly OpConfig[], reconfigs: readonly ChainReconfig[]): void {
    this.#expect("Resolved", "complete");
    if (configs.length !== this.#ops.length) {
      throw new Error(
        `Cannot complete chain ${this.id}: ${configs.length} configs for ${this.#ops.length} ops`,
      );
    }
    this.#configs = [...configs];
    this.#reconfigs = reconfigs;
    this.#state = "Completed";
  }

  /** Any state → Failed. */
  fail(reason: string): void {
    this.#state = "Failed";
    this.#failure = reason;
    this.#configs = [];
    this.#reconfigs = [];
    this.spillLocation = "None";
  }

  #expect(state: L1ChainState, action: string): void {
    if (this.#state !== state) {
      throw new Error(`Cannot ${action}: chain ${this.id} is ${this.#state}, not ${state}`);
    }
  }
}
