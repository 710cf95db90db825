// SPDX-License-Identifier: Apache-2.0
import type { MeasuredDevice } from "../microbenchmarks/measured_device.ts";
import {
  allToAllCycles,
  dramRunCycles,
  multicastCycles,
  unicastCycles,
} from "../microbenchmarks/noc_patterns.ts";
import { numberIn, textIn } from "./measured_ops/texts.ts";
import type { MeasuredRow } from "./measured_row.ts";
import { leaveOut, required, requiring, type RowReading } from "./row_model.ts";

/** Rows of tt-metal's table of NoC latencies. */
export function nocLatencyRow(row: MeasuredRow, device: string): RowReading {
  const need = requiring("transactions, peers or cycles are missing");
  const transactionBytes = need(numberIn(row.shapes, "tx_bytes"));
  const transactions = need(numberIn(row.shapes, "transactions"));
  const peers = need(numberIn(row.shapes, "peers"));
  const cycles = need(numberIn(row.measured, "cycles"));
  const pattern = row.op.replace(/^noc:/, "");
  const flags = textIn(row.config, "flags").split(",");
  return {
    configuration: [device, pattern, flags.join(","), transactions, peers, transactionBytes].join(" "),
    table: [device, pattern, flags.join(","), transactions, peers].join(" "),
    measured: cycles,
    unit: "cycles",
    predict: latencyOf(pattern, flags, { transactionBytes, transactions }, peers),
  };
}

/** Cycles of a pattern of the table. */
function latencyOf(
  pattern: string,
  flags: readonly string[],
  run: { readonly transactionBytes: number; readonly transactions: number },
  peers: number,
): (device: MeasuredDevice) => number {
  if (pattern === "dram_interleaved_multicore(pattern=4)") {
    leaveOut("exceeds the DRAM peak if all cores count (tt-metal:noc-latencies)");
  }
  if (pattern === "mcast_row_all_rows") {
    leaveOut("multicasts of all rows at once: their contention is not modelled");
  }
  if (/^one_(from|to)_/.test(pattern)) {
    const kind = pattern.startsWith("one_from") ? "read" : "write";
    const [sameAxis, stateful] = [flags.includes("same_axis"), flags.includes("stateful")];
    return (chip) => unicastCycles({ ...run, kind, peers, sameAxis, stateful }, chip);
  }
  if (pattern.startsWith("mcast")) {
    const [columns, rows] = rectangleOf(pattern, peers);
    const [linked, loopback] = [pattern.includes("linked"), flags.includes("loopback")];
    return (chip) => multicastCycles({ ...run, columns, rows, linked, loopback }, chip);
  }
  if (pattern === "all_to_all_write" || pattern === "all_from_all_read") {
    const [columns, rows] = rectangleOf("mcast", peers);
    const kind = pattern === "all_to_all_write" ? "write" : "read";
    return (chip) => allToAllCycles({ ...run, kind, columns, rows }, chip);
  }
  if (!pattern.startsWith("dram_")) leaveOut(`the pattern ${pattern} is not known`);
  const kind = pattern.includes("read") ? "read" : "write";
  return (chip) => dramRunCycles({ ...run, kind, interleaved: pattern.includes("interleaved") }, chip);
}

/** Rectangle of a number of receivers, as the benchmark lays them out: a line, a square, or the whole worker grid. */
function rectangleOf(pattern: string, peers: number): readonly [columns: number, rows: number] {
  if (pattern.includes("row")) return [peers, 1];
  if (pattern.includes("column")) return [1, peers];
  const side = Math.round(Math.sqrt(peers));
  if (side * side === peers) return [side, side];
  for (let rows = side; rows > 1; rows--) if (peers % rows === 0) return [peers / rows, rows];
  return [peers, 1];
}

/** Transactions of a long run, at which the bandwidth bounds were taken, of the largest size of a packet. */
const LONG_RUN = 256;

/** Rows of bandwidth bounds of single patterns. */
export function nocBandwidthRow(row: MeasuredRow, device: string): RowReading {
  const bound = required("bytes per cycle are missing", numberIn(row.measured, "bytes_per_cycle"));
  const predict = required(
    "the traffic of this hard-coded test (sizes, cores, order) is not in the row",
    bandwidthOf(row.op),
  );
  return {
    configuration: `${device} ${row.op}`,
    table: `${device} ${row.op}`,
    measured: bound,
    unit: "bytes/cycle",
    predict,
  };
}

/** Bytes per cycle of one core in a named test. */
function bandwidthOf(op: string): ((device: MeasuredDevice) => number) | undefined {
  const long =
    (cycles: (run: { transactionBytes: number; transactions: number }, device: MeasuredDevice) => number) =>
    (device: MeasuredDevice) => {
      const run = { transactionBytes: device.noc.maxBurst, transactions: LONG_RUN };
      return run.transactionBytes * run.transactions / cycles(run, device);
    };
  const alone = { peers: 1, sameAxis: false, stateful: false } as const;
  switch (op) {
    case "one_to_one write":
    case "one_to_all unicast":
    case "loopback":
      return long((run, device) => unicastCycles({ ...run, ...alone, kind: "write" }, device));
    case "one_from_one read":
    case "one_from_all":
      return long((run, device) => unicastCycles({ ...run, ...alone, kind: "read" }, device));
    case "one_to_all multicast":
    case "one_to_all multicast+linked":
      return long((run, device) =>
        multicastCycles({
          ...run,
          columns: device.grid.workerColumns,
          rows: device.grid.workerRows,
          linked: op.endsWith("linked"),
          loopback: true,
        }, device)
      );
    case "dram_read 1 core":
    case "dram_write 1 core":
      return long((run, device) =>
        dramRunCycles(
          { ...run, kind: op.startsWith("dram_read") ? "read" : "write", interleaved: false },
          device,
        )
      );
    default:
      return hardCodedBandwidth(op);
  }
}

/** Ranges of pages that a reshard kernel decodes, and what it reads for each (tt-metal `reshard_hardcoded` tests). */
const RESHARD_TESTS: Readonly<Record<string, readonly [ranges: number, reads: number, bytes: number]>> = {
  "reshard hardcoded small": [1, 2, 2048],
  "reshard hardcoded medium": [6, 12, 4096],
  "reshard hardcoded many cores": [4, 8, 4096],
  "reshard 2 cores to many": [1, 1, 4096],
};

/** Bytes of one read of a convolution's window reader (tt-metal `conv_hardcoded` tests). */
const WINDOW_TESTS: Readonly<Record<string, number>> = {
  "conv act halo 3x3": 192,
  "conv act halo 3x3 small": 16,
};

/** Tests that repeat what one core of a TTNN program did. */
function hardCodedBandwidth(op: string): ((device: MeasuredDevice) => number) | undefined {
  const reshard = RESHARD_TESTS[op];
  if (reshard !== undefined) {
    const [ranges, transactions, transactionBytes] = reshard;
    return (device) => {
      const run = {
        kind: "read",
        transactionBytes,
        transactions,
        peers: 1,
        sameAxis: false,
        stateful: false,
      } as const;
      return transactionBytes * transactions /
        (unicastCycles(run, device) + device.reshard.rangeStart + ranges * device.reshard.rangeSetup);
    };
  }
  const window = WINDOW_TESTS[op];
  // The model's read is that of two readers side by side.
  if (window !== undefined) return (device) => window / (2 * device.conv.windowRead);
  if (op === "conv halo gather") {
    return (device) => 2048 / (2048 / device.noc.readBytesPerCycle + device.reshard.rangeSetup);
  }
  return undefined;
}
