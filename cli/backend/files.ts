// SPDX-License-Identifier: Apache-2.0

/**
 * The Python scripts that query the real backend, as texts: a bundle of the command line has no folder of its
 * own and writes them into the cache.
 *
 * @module
 */

import ask from "./ask.py" with { type: "text" };
import call from "./call.py" with { type: "text" };
import callsAttention from "./calls_attention.py" with { type: "text" };
import callsCompute from "./calls_compute.py" with { type: "text" };
import callsMovement from "./calls_movement.py" with { type: "text" };
import callsWindows from "./calls_windows.py" with { type: "text" };
import capture from "./capture.py" with { type: "text" };
import devices from "./devices.py" with { type: "text" };
import environment from "./environment.py" with { type: "text" };
import l1Use from "./l1_use.py" with { type: "text" };
import mlirText from "./mlir_text.py" with { type: "text" };
import mockDevice from "./mock_device.py" with { type: "text" };
import program from "./program.py" with { type: "text" };
import protocol from "./protocol.py" with { type: "text" };
import requirements310 from "./requirements-3.10.txt" with { type: "text" };
import requirements312 from "./requirements-3.12.txt" with { type: "text" };
import standinElf from "./standin_elf.py" with { type: "text" };
import trace from "./trace.py" with { type: "text" };
import values from "./values.py" with { type: "text" };
import worker from "./worker.py" with { type: "text" };
import workspace from "./workspace.py" with { type: "text" };

/** By file name. */
export const BACKEND_FILES: Readonly<Record<string, string>> = {
  "ask.py": ask,
  "call.py": call,
  "calls_attention.py": callsAttention,
  "calls_compute.py": callsCompute,
  "calls_movement.py": callsMovement,
  "calls_windows.py": callsWindows,
  "capture.py": capture,
  "devices.py": devices,
  "environment.py": environment,
  "l1_use.py": l1Use,
  "mlir_text.py": mlirText,
  "mock_device.py": mockDevice,
  "program.py": program,
  "protocol.py": protocol,
  "requirements-3.10.txt": requirements310,
  "requirements-3.12.txt": requirements312,
  "standin_elf.py": standinElf,
  "trace.py": trace,
  "values.py": values,
  "worker.py": worker,
  "workspace.py": workspace,
};
