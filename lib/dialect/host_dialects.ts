// SPDX-License-Identifier: Apache-2.0
import type { Operation } from "../ir/mod.ts";

/** Dialects of ops around tensor ops: functions, devices, scalars of the host and CPU code. */
const HOST_DIALECTS: ReadonlySet<string> = new Set([
  "arith",
  "builtin",
  "cf",
  "emitc",
  "emitpy",
  "func",
  "index",
  "llvm",
  "memref",
  "ttcore",
]);

/** Whether ops of an op's dialect are work of the host or of the compiler, and none of a device. */
export function isHostOp(name: string): boolean {
  return HOST_DIALECTS.has(name.slice(0, Math.max(0, name.indexOf("."))));
}

/** Whether an op is in a CPU module. */
export function isOnCpu(operation: Operation): boolean {
  for (let op: Operation | undefined = operation; op !== undefined; op = op.parent) {
    if (op.name === "ttcore.cpu_module") return true;
  }
  return false;
}

/** A string or a comment, which stay as they are, or the name of the dialect in front of what it names. */
const DIALECT_NAME = /"(?:[^"\\]|\\.)*"|\/\/[^\n]*|(?<![\w.$@%-])tt(?:core)?(?=[.<])(?!\.function_type)/g;

/**
 * Text with the dialect of tiles and devices called `tt`, as before June 2025, or `ttcore`. `tt.function_type` has kept
 * its name (tt-mlir:ir-generations).
 */
export function inDialect(text: string, dialect: "ttcore" | "tt"): string {
  return text.replace(DIALECT_NAME, (found) => /^tt/.test(found) ? dialect : found);
}
