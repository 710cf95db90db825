// SPDX-License-Identifier: Apache-2.0
import type { OpSpecificAttributes } from "../op_config/op_config.ts";
import type { LayoutIds, Way } from "./ways.ts";

/** A way whose price is computed on first use: scores that look at the op alone need only that of the best one. */
export class UnpricedWay implements Way {
  readonly outputs: LayoutIds;
  readonly outputsId: number;
  readonly config: OpSpecificAttributes | undefined;
  readonly cores: number;
  readonly l1PeakBytes: number;
  readonly outputL1Bytes: number;
  readonly aliasedOperand: number | undefined;
  #price: number | (() => number);

  constructor(way: Omit<Way, "microseconds">, price: () => number) {
    this.outputs = way.outputs;
    this.outputsId = way.outputsId;
    this.config = way.config;
    this.cores = way.cores;
    this.l1PeakBytes = way.l1PeakBytes;
    this.outputL1Bytes = way.outputL1Bytes;
    this.aliasedOperand = way.aliasedOperand;
    this.#price = price;
  }

  get microseconds(): number {
    if (typeof this.#price === "function") this.#price = this.#price();
    return this.#price;
  }
}
