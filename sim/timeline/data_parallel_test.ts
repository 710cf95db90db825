// SPDX-License-Identifier: Apache-2.0
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { loadModule } from "../../pipeline/load_module.ts";
import { getDevice } from "../devices/device_registry.ts";
import { dataParallel } from "./data_parallel.ts";
import { simulateGraph } from "./simulate.ts";

const LAYOUTS = `#dram = #ttnn.buffer_type<dram>
#host = #ttnn.buffer_type<system_memory>
#tiles = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<32x32x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#away = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<32x32x!ttcore.tile<32x32, bf16>, #host>>
`;
const T = "tensor<1024x1024xbf16, #tiles>";
const HOST = "tensor<1024x1024xbf16, #away>";

function run(text: string, device: string) {
  const workbench = loadModule(LAYOUTS + text, { device });
  const { graph } = workbench.binding;
  const timeline = simulateGraph(graph, undefined, workbench);
  return { timeline, ...dataParallel({ timeline, graph }, [], getDevice(device)) };
}

Deno.test("transfers to and from the host count once, by ops or by the caller", () => {
  const relu = `"ttnn.relu"(%x) : (${T}) -> ${T}`;
  const byCaller = run(`func.func @main(%x: ${T}) -> ${T} { %0 = ${relu} return %0 : ${T} }`, "n150");
  const byOp = run(
    `func.func @main(%x: ${T}) -> ${HOST} {
      %0 = ${relu}
      %1 = "ttnn.from_device"(%0) : (${T}) -> ${HOST}
      return %1 : ${HOST}
    }`,
    "n150",
  );
  const [steps = []] = byOp.timeline.functions.map((fn) => fn.steps);
  const moved = steps.find(({ name }) => name === "ttnn.from_device")?.estimate.microseconds ?? 0;
  // The argument and the result are alike: the caller moves both, or one and the op the other.
  assert(moved > 0);
  assertAlmostEquals(byOp.hostUs, byCaller.hostUs / 2 + moved, 1e-9);
  assertEquals([byCaller.chips, byCaller.copies], [1, 1]);
});

Deno.test("chips behind one link to the host take turns with it", () => {
  const text = `func.func @main(%x: ${T}) -> ${T} { %0 = "ttnn.relu"(%x) : (${T}) -> ${T} return %0 : ${T} }`;
  const [one, two] = [run(text, "n150"), run(text, "n300")];
  assert(one.hostUs > one.timeline.inference.totalUs);
  assertAlmostEquals(one.roundUs, one.hostUs, 1e-9);
  assertEquals(two.copies, 2);
  assertAlmostEquals(two.roundUs, 2 * two.hostUs, 1e-9);
  assertAlmostEquals(two.perSecond, 2e6 / two.roundUs, 1e-6);
});
