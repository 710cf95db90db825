// SPDX-License-Identifier: Apache-2.0
import { isBookkeeping } from "../ops/bookkeeping.ts";
import { worksOnNothing } from "../ops/empty_tensors.ts";
import type { OpSignature } from "../ops/op_signature.ts";

/**
 * Whether an op costs nothing: views move no data, ops of the dialects around TTNN (`func`, `ttcore`) launch no kernel, empty
 * tensors need no work, and the time of a called function belongs to that function. `ttnn.deallocate` and `ttnn.get_device`
 * are not among these. Search and simulation must agree on this, so both use this function.
 *
 * @param isView whether the first result is an operand's buffer with these layouts and no program runs
 */
export function takesNoTime(op: OpSignature, isView: boolean): boolean {
  return isView || launchesNothing(op);
}

/** Known answers: searches price each op in thousands of layouts. */
const LAUNCHES_NOTHING: WeakMap<OpSignature, boolean> = new WeakMap();

/** Whether an op takes no time with any layouts. */
function launchesNothing(op: OpSignature): boolean {
  return LAUNCHES_NOTHING.getOrInsertComputed(op, () => isBookkeeping(op) || worksOnNothing(op));
}
