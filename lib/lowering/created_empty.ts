// SPDX-License-Identifier: Apache-2.0
import type { Value } from "../ir/mod.ts";

const CREATES_DESTINATION: ReadonlySet<string> = new Set(["ttir.empty", "tensor.empty"]);

/** Whether a value is an uninitialised tensor, as destinations of older generations are. */
export function isCreatedEmpty({ source }: Value): boolean {
  return source.kind === "result" && CREATES_DESTINATION.has(source.operation.name);
}
