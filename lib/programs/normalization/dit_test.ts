// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { ditPrograms } from "./dit.ts";
import { emptyRoom, FULL_RUN, type LaunchContext, type OpLaunch } from "../op_launch.ts";
import type { DeviceProgram } from "../program.ts";
import { CHIP, tensor } from "../testing/launching.ts";

const bytesOf = (streams: DeviceProgram["reads"]): number =>
  streams.reduce((sum, { bytes }) => sum + bytes, 0);

const CONTEXT: LaunchContext = {
  chip: CHIP,
  room: () => emptyRoom(CHIP),
  mesh: [],
  assumed: FULL_RUN,
};

function ditOf(op: Omit<OpLaunch, "config" | "attributes">, attributes: OpLaunch["attributes"] = new Map()) {
  const launched = ditPrograms({ ...op, attributes, config: undefined }, CONTEXT);
  assert(launched.status === "known");
  return launched.programs;
}

Deno.test("a gated matmul multiplies, and also reads residual and gate", () => {
  const [a, b, out] = [tensor([512, 256]), tensor([256, 1024]), tensor([512, 1024])];
  const gate = tensor([1, 1024]);
  const programs = ditOf({
    name: "ttnn.dit_matmul_addcmul_fused",
    inputs: [a, b, out, gate],
    outputs: [out],
  });
  assertEquals(programs.map(({ kind }) => kind), ["matmul", "stream"]);
  const flops = programs.reduce((sum, program) => sum + program.flops, 0);
  assertEquals(flops, 2 * 512 * 256 * 1024 + 2 * 512 * 1024);
  // The product is written once, and never read again.
  assertEquals(programs.map(({ writes }) => bytesOf(writes)), [out.bytes, 0]);
  assertEquals(bytesOf(programs[1]?.reads ?? []), 2 * out.bytes);
});

Deno.test("a fused norm reads its residual and computes its activation, in the norm's program", () => {
  const [x, w] = [tensor([512, 1024]), tensor([1024])];
  const sizes = (...values: readonly number[]): OpLaunch["attributes"] =>
    new Map([["operandSegmentSizes", { kind: "denseArray", elementType: "i32", values }]]);
  const name = "ttnn.dit_rms_norm_unary_fused";
  const [plain] = ditOf({ name, inputs: [x, w], outputs: [x] }, sizes(1, 1, 0, 0));
  const [added, ...rest] = ditOf({ name, inputs: [x, w, x], outputs: [x] }, sizes(1, 1, 0, 1));
  assertEquals(rest, []);
  assertEquals(bytesOf(added?.reads ?? []) - bytesOf(plain?.reads ?? []), x.bytes);
  const activation = new Map([
    ...sizes(1, 1, 0, 0),
    ["activation", { kind: "string", value: "silu" }] as const,
  ]);
  const [silu] = ditOf({ name, inputs: [x, w], outputs: [x] }, activation);
  const work = (program: DeviceProgram | undefined) => program?.kind === "stream" ? program.compute.work : [];
  // 32 tiles per row.
  assertEquals(work(silu).slice(work(plain).length), [{ operation: "quotient", count: 32 }]);
});
