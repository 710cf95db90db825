// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import type { DeviceProgram } from "./program.ts";
import type { ProgramTensor } from "./program_tensor.ts";
import { buffers, CHIP, CONTEXT, ROWS, tensor } from "./testing/launching.ts";
import { trainingPrograms } from "./training.ts";

function programsOf(
  name: string,
  inputs: readonly ProgramTensor[],
  outputs: readonly ProgramTensor[],
): readonly DeviceProgram[] {
  const launched = trainingPrograms(
    { name, attributes: new Map(), inputs, outputs, config: undefined },
    CONTEXT,
  );
  assert(launched.status === "known", launched.status === "unknown" ? launched.reason : "");
  return launched.programs;
}

const bytesOf = (streams: DeviceProgram["reads"]): number =>
  streams.reduce((sum, { bytes }) => sum + bytes, 0);

const rows = (width: number): ProgramTensor => tensor([1, 1, 4096, width]);
const oneRow = (width: number): ProgramTensor => tensor([1, 1, 1, width]);
const perRow = tensor([1, 1, 4096, 1]);

Deno.test("a gradient of a norm writes a row of parts per row for each weight, and adds them up afterwards", () => {
  const x = rows(1024);
  const w = oneRow(1024);
  const [pass, ...sums] = programsOf("ttnn.layernorm_bw", [x, w, perRow, perRow, x], [x, w, w]);
  assert(pass !== undefined);
  // The input's gradient, and parts of those of scale and shift.
  assertEquals(bytesOf(pass.writes), 3 * x.bytes);
  assert(bytesOf(pass.reads) >= 2 * x.bytes + 2 * perRow.bytes);
  assertEquals(sums.map(({ reads }) => bytesOf(reads)), [x.bytes, x.bytes]);
  assertEquals(sums.map(({ writes }) => bytesOf(writes)), [w.bytes, w.bytes]);
  // RMS norm has no shift.
  assertEquals(programsOf("ttnn.rmsnorm_bw", [x, w, perRow, x], [x, w]).length, 2);
});

Deno.test("rows that do not fit into L1 with their intermediates are read again", () => {
  const readsOfRows = (width: number): number => {
    const [program] = programsOf("ttnn.layernorm_fw", [rows(width), oneRow(width), oneRow(width)], [
      rows(width),
    ]);
    const usable = CHIP.l1Size - CHIP.l1UnreservedBase;
    assert(Object.values(buffers(program)).reduce((sum, bytes) => sum + bytes, 0) <= usable);
    return (program?.reads[0]?.bytes ?? 0) / rows(width).bytes;
  };
  // Four rows of 128 tiles of 2 KiB are 1 MiB, four of 256 tiles 2 MiB.
  assertEquals(readsOfRows(128 * 32), 1);
  assertEquals(readsOfRows(256 * 32), 3);
});

Deno.test("a loss is a number per row of logits", () => {
  const logits = tensor([4, 1, 256, 32_000]);
  const classes = tensor([4, 256], { ...ROWS, dataType: "u32" });
  const [forward] = programsOf("ttnn.cross_entropy_fw", [logits, classes], [tensor([4, 1, 256, 1])]);
  assertEquals(bytesOf(forward?.writes ?? []), 4 * 8 * 2048);
  const [backward] = programsOf(
    "ttnn.cross_entropy_bw",
    [logits, classes, tensor([1, 1, 1, 1])],
    [logits],
  );
  assertEquals(bytesOf(backward?.writes ?? []), logits.bytes);
});

Deno.test("a gradient of a gate writes both of its results", () => {
  const x = rows(1024);
  const [program, ...rest] = programsOf("ttnn.swiglu_elemwise_bw", [x, x, x], [x, x]);
  assertEquals(rest, []);
  assertEquals([bytesOf(program?.reads ?? []), bytesOf(program?.writes ?? [])], [3 * x.bytes, 2 * x.bytes]);
});
