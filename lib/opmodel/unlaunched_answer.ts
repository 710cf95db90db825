// SPDX-License-Identifier: Apache-2.0
import type { OpConstraints } from "./op_model.ts";

/**
 * A legal answer whose programs nobody has derived yet: what its tensors alone take of L1 refuses most questions about
 * large tensors, and deriving what an op launches is most of the work of an answer.
 */
export class UnlaunchedAnswer {
  readonly status = "unlaunched";
  /** Bytes per core that the op needs at the least, circular buffers left out. */
  readonly leastL1Bytes: number;
  readonly #launch: () => OpConstraints;
  #launched: OpConstraints | undefined;

  constructor(leastL1Bytes: number, launch: () => OpConstraints) {
    this.leastL1Bytes = leastL1Bytes;
    this.#launch = launch;
  }

  /** The whole answer; a refusal where nobody knows the programs. */
  launched(): OpConstraints {
    return this.#launched ??= this.#launch();
  }
}
