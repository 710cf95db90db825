// SPDX-License-Identifier: Apache-2.0
import type { FunctionKind, GraphFunction } from "./graph.ts";

/**
 * When a function runs: `inference` every time, `once` when the program is loaded, `host` on the CPU; `wrapper`
 * only calls others.
 */
export type ExecutionRole = "inference" | "once" | "host" | "wrapper";

/** When functions of this kind run. */
export function roleOf(kind: FunctionKind): ExecutionRole {
  switch (kind) {
    case "forward_device":
    case "trace_main":
    case "other":
      return "inference";
    case "const_eval":
      return "once";
    case "forward_cpu":
    case "forward_cpu_declaration":
    case "kernel":
      return "host";
    case "trace_run_and_capture":
    case "trace_execute":
      return "wrapper";
  }
}

/** Whether a policy decides the layouts of a function; all others stay exactly as in the input. */
export function isDecided({ kind, ops }: GraphFunction): boolean {
  return isDecidedKind(kind) && ops.length > 0;
}

/** Whether policies decide functions of this kind, provided that they have ops. */
export function isDecidedKind(kind: FunctionKind): boolean {
  return kind === "forward_device" || kind === "trace_main";
}

/** Whether functions with this role have ops of their own that use memory of the chip. */
export function runsOnDevice(role: ExecutionRole): role is "inference" | "once" {
  return role === "inference" || role === "once";
}
