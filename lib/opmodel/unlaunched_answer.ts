// SPDX-License-Identifier: Apache-2.0
import type { OpSignature } from "../ops/op_signature.ts";
import type { InvalidConstraints, OpConstraints, ValidConstraints } from "./op_model.ts";

/**
 * A legal answer whose programs are not derived yet: the L1 bytes of its tensors alone are enough to refuse most
 * questions about large tensors, and deriving the programs is most of the work of an answer.
 */
export class UnlaunchedAnswer {
  readonly status = "unlaunched";
  /** Lower bound of the bytes per core that the op needs, without circular buffers. */
  readonly leastL1Bytes: number;
  readonly #launch: () => OpConstraints;
  #launched: OpConstraints | undefined;
  #refused:
    | { readonly extra: number; readonly usable: number; readonly refusal: InvalidConstraints }
    | undefined;

  constructor(leastL1Bytes: number, launch: () => OpConstraints) {
    this.leastL1Bytes = leastL1Bytes;
    this.#launch = launch;
  }

  /** The full answer; a refusal if the programs are unknown. */
  launched(): OpConstraints {
    return this.#launched ??= this.#launch();
  }

  /** As {@linkcode outOfMemory}; a repeated refusal is reused. */
  refused(op: OpSignature, extra: number, usable: number): InvalidConstraints {
    if (this.#refused?.extra !== extra || this.#refused.usable !== usable) {
      this.#refused = { extra, usable, refusal: outOfMemory(op, this, extra, usable) };
    }
    return this.#refused.refusal;
  }
}

/**
 * The refusal for lack of L1. Its message is built only when it is read, because searches ask thousands of questions
 * that end here.
 *
 * @param extra bytes per core that other live tensors hold
 * @param usable bytes per core
 */
export function outOfMemory(
  op: OpSignature,
  answer: ValidConstraints | UnlaunchedAnswer,
  extra: number,
  usable: number,
): InvalidConstraints {
  return {
    status: "invalid",
    failure: "out_of_memory",
    rule: "l1/budget",
    get message() {
      const whole = answer.status === "valid" ? answer : answer.launched();
      const needed = whole.status === "valid" ? `${whole.l1PeakBytes}` : "too many";
      return `${op.name} needs ${needed} bytes of L1 per core besides ${extra} live bytes; ${usable} are usable`;
    },
    source: "tt-mlir:validation usable L1",
  };
}
