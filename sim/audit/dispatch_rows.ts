// SPDX-License-Identifier: Apache-2.0
import { type DispatchedProgram, dispatchMicroseconds } from "../microbenchmarks/dispatch.ts";
import { type MeasuredRow, numberOf } from "./measured_row.ts";
import { type AuditRow, excluding } from "./row_model.ts";

/** Groups of cores that the benchmark's `kernel_groups` cases make. */
const KERNEL_GROUPS = 8;

/** Share of its first program that each further one of a `shadow` case costs. */
const SHADOW_SHARE = 0.9;

/** Rows of tt-metal's program dispatch benchmark, under trace. */
export function dispatchRow(row: MeasuredRow): AuditRow {
  const group = "dispatch";
  const device = deviceOf(row);
  const excluded = excluding(group, device);
  const us = numberOf(row.measured, "us");
  const size = numberOf(row.shapes, "kernel_bytes");
  const name = row.op.replace(/^program_dispatch:/, "");
  if (us === undefined || size === undefined) return excluded("time or kernel size is missing");
  if (name.includes("no_trace")) return excluded("untraced: bound by the host");
  if (/tensix_eth.*shadow/.test(name)) {
    return excluded("several programs on workers and Ethernet cores at once");
  }
  const program = programOf(name, size);
  const shadows = Number(/(\d+)_shadow/.exec(name)?.[1] ?? 0);
  const programs = shadows === 0 ? 1 : (shadows + 1) * SHADOW_SHARE;
  return {
    status: "modelled",
    group,
    device,
    configuration: `${device} ${name} ${size}`,
    table: `${device} ${name}`,
    measured: us,
    unit: "us",
    predict: (chip) => programs * dispatchMicroseconds(program, chip),
  };
}

/** The 2025 golden file was made with slower software; it has a device of its own. */
function deviceOf(row: MeasuredRow): string {
  if (row.device.startsWith("p1")) return "p150-13x10";
  return row.source.includes("2025-06") ? "n150-2025-06" : "n150";
}

/** The settings in a case's name. */
function programOf(name: string, size: number): DispatchedProgram {
  const processors = name.startsWith("trisc_only")
    ? 3
    : name.startsWith("brisc_trisc")
    ? 4
    : /^(brisc|ncrisc)_only|one_processor|1_processor|256_bytes_brisc/.test(name)
    ? 1
    : 5;
  // In this family the number is the length of the kernel in cycles, not its size.
  const slow = name.startsWith("256_bytes");
  const cycles = Number(/^(\d+)_(?:cycle_)?kernel/.exec(name)?.[1] ?? (slow ? size : 0));
  const unique = Number(/(\d+)_rta/.exec(name)?.[1] ?? (name.startsWith("maxed") ? 128 : 0));
  return {
    processors,
    kernelBytes: slow ? 256 : size,
    configures: /cb|sem|crta|maxed|rta/.test(name),
    uniqueArguments: unique,
    allCores: !name.includes("1_core"),
    launchGroups: name.includes("8g") ? 8 : 1,
    kernelGroups: /kernel_groups|tensix_eth/.test(name) ? KERNEL_GROUPS : 1,
    kernelCycles: cycles,
    ethernet: name.includes("eth"),
  };
}
