// SPDX-License-Identifier: Apache-2.0
import { isHostOp } from "../dialect/host_dialects.ts";
import type { OpSignature } from "./op_signature.ts";

/**
 * Whether an op runs nothing by itself: ops of the dialects around TTNN are bookkeeping of the compiler, and a call
 * runs only what the called function does. Ops of any other dialect (TTIR without a lowering, StableHLO, control flow)
 * run something unknown on the device.
 */
export function isBookkeeping({ name, attributes }: Pick<OpSignature, "name" | "attributes">): boolean {
  if (isHostOp(name)) return true;
  for (const attribute of attributes.values()) if (attribute.kind === "symbol") return true;
  return false;
}
