// SPDX-License-Identifier: Apache-2.0
import type { LayoutIds } from "../layout/layout_table.ts";
import type { OpSpecificAttributes } from "../op_config/op_config.ts";
import type { OpImpl } from "./impls.ts";

/**
 * An implementation whose price is computed on first use: scores that ignore predictions need only the price
 * of the best implementation.
 */
export class UnpricedImpl implements OpImpl {
  readonly outputs: LayoutIds;
  readonly outputsId: number;
  readonly config: OpSpecificAttributes | undefined;
  readonly cores: number;
  readonly l1PeakBytes: number;
  readonly outputL1Bytes: number;
  readonly aliasedOperand: number | undefined;
  #price: number | (() => number);

  constructor(impl: Omit<OpImpl, "microseconds">, price: () => number) {
    this.outputs = impl.outputs;
    this.outputsId = impl.outputsId;
    this.config = impl.config;
    this.cores = impl.cores;
    this.l1PeakBytes = impl.l1PeakBytes;
    this.outputL1Bytes = impl.outputL1Bytes;
    this.aliasedOperand = impl.aliasedOperand;
    this.#price = price;
  }

  get microseconds(): number {
    if (typeof this.#price === "function") this.#price = this.#price();
    return this.#price;
  }
}
