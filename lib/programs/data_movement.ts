// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import { inOrder, type OpLaunch, type OpPrograms, unknownPrograms } from "./program.ts";
import { streamProgram, wholeTensor } from "./stream.ts";

/** Rows picked by index: embedding, gather. Each index is one read of a row; tiled results are tilized on the way. */
export function rowGatherPrograms(op: OpLaunch, chip: ChipDescription): OpPrograms {
  const output = op.outputs[0];
  const table = op.inputs.find((tensor, index) => index > 0 && tensor !== undefined) ?? op.inputs[0];
  if (output === undefined || table === undefined) {
    return unknownPrograms(op.name, "needs a table and a result");
  }
  const rowBytes = table.tiled ? Math.max(1, table.bytes / Math.max(1, table.extent[0])) : table.pageBytes;
  return inOrder(streamProgram({
    units: output.tiled ? Math.ceil(output.extent[0] / 32) : output.pages,
    reads: [{ tensor: table, bytes: output.bytes, transactionBytes: rowBytes }],
    writes: [wholeTensor(output)],
    compute: output.tiled ? [{ operation: "tilize", count: Math.ceil(output.extent[1] / 32) }] : [],
  }, chip));
}
