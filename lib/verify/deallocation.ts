// SPDX-License-Identifier: Apache-2.0
import type { Operation, Value } from "../ir/module_text.ts";
import type { Reporter } from "./reporter.ts";

/**
 * V13: a value is deallocated at most once, and neither used nor returned afterwards. Views may outlive the
 * tensor they view: the runtime counts references to the buffer.
 */
export function verifyDeallocation(reporter: Reporter): void {
  const freed = new Map<Value, Operation>();
  for (const operation of reporter.module.operations) {
    const isDeallocate = operation.name === "ttnn.deallocate";
    for (const operand of operation.operands) {
      const { value } = operand;
      if (value === undefined) continue;
      const before = freed.get(value);
      if (before !== undefined && before.block === operation.block) {
        reporter.report(
          isDeallocate ? "V13/double-deallocate" : "V13/use-after-deallocate",
          "error",
          operand.span,
          isDeallocate
            ? `'${value.name}' is deallocated twice; remove this one`
            : `'${operation.name}' uses '${value.name}' after its deallocation; move the deallocation down`,
        );
      }
      if (isDeallocate) freed.set(value, operation);
    }
  }
}
