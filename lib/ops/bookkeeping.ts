// SPDX-License-Identifier: Apache-2.0
import type { OpSignature } from "./op_signature.ts";

/**
 * Whether an op runs nothing by itself: what stands between TTNN ops is bookkeeping of the compiler (but for TTIR
 * ops that nobody could lower), and what a call runs is the called function's.
 */
export function isBookkeeping({ name, attributes }: Pick<OpSignature, "name" | "attributes">): boolean {
  if (!name.startsWith("ttnn.") && !name.startsWith("ttir.")) return true;
  for (const attribute of attributes.values()) if (attribute.kind === "symbol") return true;
  return false;
}
