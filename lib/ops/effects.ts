// SPDX-License-Identifier: Apache-2.0
import { definitionOf } from "./op_book.ts";

/** Ops with side effects: host transfers, traces, semaphores. */
const EFFECTS =
  /^ttnn\.(?:.*trace.*|write_tensor|dump_tensor|load_tensor|copy_host_to_device_tensor|.*semaphore.*)$/;

/** Ops whose results differ from run to run, or are uninitialised. */
const UNREPEATABLE: ReadonlySet<string> = new Set([
  "ttnn.rand",
  "ttnn.dropout",
  "ttnn.empty",
  "ttnn.sampling",
]);

/** Whether an op does nothing but compute its results, so that it may be removed if nothing uses them. */
export function isPureOp(name: string): boolean {
  if (!name.startsWith("ttnn.") || EFFECTS.test(name)) return false;
  const { family, inPlaceOperand, writtenOperands, results } = definitionOf(name);
  return family !== "opaque" && inPlaceOperand === undefined && writtenOperands.length === 0 && results !== 0;
}

/** Whether an op gives the same results for the same operands and has no side effects. */
export function isDeterministicOp(name: string): boolean {
  return isPureOp(name) && !UNREPEATABLE.has(name);
}
