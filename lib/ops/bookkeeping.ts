// SPDX-License-Identifier: Apache-2.0
import { isHostOp } from "../dialect/host_dialects.ts";
import type { OpSignature } from "./op_signature.ts";

/**
 * Whether an op runs nothing by itself: ops of the dialects around TTNN are bookkeeping of the compiler, and what a call
 * runs is the called function's. Ops of any other dialect (TTIR that nobody could lower, StableHLO, control flow) do run
 * something on the device, of which nobody has told what.
 */
export function isBookkeeping({ name, attributes }: Pick<OpSignature, "name" | "attributes">): boolean {
  if (isHostOp(name)) return true;
  for (const attribute of attributes.values()) if (attribute.kind === "symbol") return true;
  return false;
}
