// SPDX-License-Identifier: Apache-2.0
import { isBookkeeping } from "./bookkeeping.ts";
import { isUncoveredOp } from "./op_book.ts";
import type { OpSignature } from "./op_signature.ts";

/** Ops whose regions run as often as the device's data says (autumn 2026). */
const CONTROL_FLOW: ReadonlySet<string> = new Set(["ttnn.while", "ttnn.case"]);

/**
 * Ops whose cores and buffers are known, but not the work of a core: one of `sampling` sorts, sums up and draws among
 * the candidates of a user, which takes many times longer than reading them.
 */
const UNDESCRIBED_WORK: ReadonlySet<string> = new Set(["ttnn.sampling"]);

/**
 * Why nobody knows how long an op takes: it has no rule, so that what it launches is unknown, or the work of its cores is
 * not described. `undefined` for other ops, and for those without a rule that return no tensor: begins and ends of traces
 * take the time of what they start.
 */
export function unknownTime(op: Pick<OpSignature, "name" | "attributes" | "results">): string | undefined {
  if (CONTROL_FLOW.has(op.name)) {
    return `${op.name}: which of its regions run, and how often, is known only at run time`;
  }
  if (UNDESCRIBED_WORK.has(op.name)) return `${op.name}: the work of its cores is not known`;
  const isOpaque = isUncoveredOp(op.name) && !isBookkeeping(op) &&
    op.results.some((tensor) => tensor !== undefined);
  return isOpaque ? `${op.name}: its device programs are not known` : undefined;
}
