// SPDX-License-Identifier: Apache-2.0
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { opSignatures } from "../lib/graph/signature.ts";
import { parseModule } from "../lib/ir/mod.ts";
import { lowerModule } from "../lib/lowering/lower_module.ts";
import { chipDescription } from "../sim/devices/device.ts";
import { getDevice } from "../sim/devices/device_registry.ts";
import { collectivesOfUnknownChips, createWorkbench, type Workbench } from "./load.ts";

const DEVICE = getDevice("n300");
const TENSOR = "tensor<1x1x1024x1024xbf16>";

/** A sum over the chips of axis 1 of a mesh, lowered to TTNN. */
function summed(mesh: string | undefined): Workbench {
  const attributes = mesh === undefined
    ? ""
    : `attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = ${mesh}>]>} `;
  const ttir = `module @sum ${attributes}{
  func.func @main(%x: ${TENSOR}) -> ${TENSOR} {
    %0 = "ttir.all_reduce"(%x) <{cluster_axis = 1 : ui32, reduce_type = #ttcore.reduce_type<sum>}> : (${TENSOR}) -> ${TENSOR}
    return %0 : ${TENSOR}
  }
}`;
  const text = lowerModule(parseModule(ttir, "sum.mlir"), chipDescription(DEVICE));
  return createWorkbench(parseModule(text, "sum.mlir"), DEVICE);
}

/** Predicted time of the sum between the chips, without launch, in µs. */
function exchange({ binding, cost }: Workbench): number {
  const op = binding.graph.functions.flatMap(opSignatures).find(({ name }) => name === "ttnn.all_reduce");
  assert(op !== undefined);
  const { microseconds, terms } = cost.getOpRuntime(op, [undefined], [undefined], undefined);
  return microseconds - terms.launch - DEVICE.stream.startup / DEVICE.clock.aiclk;
}

Deno.test("a collective runs over the chips of its axis of the mesh", () => {
  const bytes = 2 * 1024 * 1024;
  const { linkBandwidth, efficiency, hopLatency, linksPerNeighbour } = DEVICE.ethernet;
  const bandwidth = linkBandwidth * efficiency * linksPerNeighbour * 1000;
  for (const chips of [1, 2, 4, 8]) {
    const expected = (chips - 1) * hopLatency + bytes * (chips - 1) / chips / bandwidth;
    assertAlmostEquals(exchange(summed(`2x${chips}`)), expected, 1e-6);
    assertEquals(collectivesOfUnknownChips(summed(`2x${chips}`)), []);
  }
});

Deno.test("without a mesh the number of chips is unknown and taken from the bytes", () => {
  assertAlmostEquals(exchange(summed(undefined)), exchange(summed("1x2")), 1e-6);
  assertEquals(collectivesOfUnknownChips(summed(undefined)), ["ttnn.all_reduce"]);
});
