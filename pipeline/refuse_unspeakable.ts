// SPDX-License-Identifier: Apache-2.0
import { inputError } from "../lib/diagnostics/diagnostic.ts";
import { LayoutError } from "../lib/layout/layout_error.ts";
import { UnspelledField } from "../lib/op_config/print.ts";

/**
 * Does what writes text.
 *
 * @throws {DiagnosticError} for a layout or a config that the generation of the text cannot spell
 */
export function refuseUnspeakable<Written>(write: () => Written): Written {
  try {
    return write();
  } catch (error) {
    if (error instanceof UnspelledField) throw inputError("config/backend-only", error.message);
    if (!(error instanceof LayoutError)) throw error;
    throw inputError(
      `layout/${error.rule}`,
      `${error.message}; choose --ttnn-profile memory-config or a newer one [${error.rule}]`,
    );
  }
}
