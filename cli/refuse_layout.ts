// SPDX-License-Identifier: Apache-2.0
import { inputError } from "../lib/diagnostics/diagnostic.ts";
import { LayoutError } from "../lib/layout/layout_error.ts";

/**
 * Runs a function on layouts from the command line and reports an impossible layout as bad input.
 *
 * @throws {DiagnosticError} `layout/RULE`, for the `LayoutError` that `make` throws
 */
export async function refuseImpossibleLayout<Result>(make: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await make();
  } catch (error) {
    if (!(error instanceof LayoutError)) throw error;
    throw inputError(`layout/${error.rule}`, `${error.message} [${error.rule}]`);
  }
}
