// SPDX-License-Identifier: Apache-2.0
import { isBookkeeping } from "../ops/bookkeeping.ts";
import { worksOnNothing } from "../ops/empty_tensors.ts";
import type { OpSignature } from "../ops/op_signature.ts";
import type { OpTraits } from "../ops/op_traits.ts";

/**
 * Whether an op costs nothing. A view moves nothing, bookkeeping of the compiler is no kernel, tensors without elements take no
 * work, and the time of a called function is that function's own. Search and simulation must agree on this, so it is said once.
 *
 * @param aliasedOperand operand whose buffer the first result shares with these layouts
 */
export function takesNoTime(op: OpSignature, traits: OpTraits, aliasedOperand: number | undefined): boolean {
  return launchesNothing(op) || (aliasedOperand !== undefined && traits.inPlaceOperand === undefined);
}

/** Ops that were asked about: searches price each of them in thousands of layouts. */
const LAUNCHES_NOTHING: WeakMap<OpSignature, boolean> = new WeakMap();

/** Whether an op takes no time whatever its layouts are. */
function launchesNothing(op: OpSignature): boolean {
  let known = LAUNCHES_NOTHING.get(op);
  if (known === undefined) LAUNCHES_NOTHING.set(op, known = isBookkeeping(op) || worksOnNothing(op));
  return known;
}
