// SPDX-License-Identifier: Apache-2.0
import { isBookkeeping } from "../ops/bookkeeping.ts";
import { worksOnNothing } from "../ops/empty_tensors.ts";
import type { OpSignature } from "../ops/op_signature.ts";
import type { OpTraits } from "../ops/op_traits.ts";

/**
 * Whether an op costs nothing: views move no data, the compiler's bookkeeping launches no kernel, empty tensors
 * need no work, and the time of a called function belongs to that function. Search and simulation must agree on
 * this, so both use this function.
 *
 * @param aliasedOperand operand whose buffer the first result shares with these layouts
 */
export function takesNoTime(op: OpSignature, traits: OpTraits, aliasedOperand: number | undefined): boolean {
  return launchesNothing(op) || (aliasedOperand !== undefined && traits.inPlaceOperand === undefined);
}

/** Known answers: searches price each op in thousands of layouts. */
const LAUNCHES_NOTHING: WeakMap<OpSignature, boolean> = new WeakMap();

/** Whether an op takes no time with any layouts. */
function launchesNothing(op: OpSignature): boolean {
  let known = LAUNCHES_NOTHING.get(op);
  if (known === undefined) LAUNCHES_NOTHING.set(op, known = isBookkeeping(op) || worksOnNothing(op));
  return known;
}
