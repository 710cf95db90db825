// SPDX-License-Identifier: Apache-2.0
import { assert, assertAlmostEquals, assertEquals, assertThrows } from "@std/assert";
import { DiagnosticError } from "../lib/diagnostics/diagnostic.ts";
import { opSignatures } from "../lib/graph/signature.ts";
import { parseModule } from "../lib/ir/mod.ts";
import { lowerModule } from "../lib/lowering/lower_module.ts";
import { chipDescription } from "../sim/devices/device.ts";
import { packetNanoseconds } from "../sim/kernels/collective.ts";
import { getDevice } from "../sim/devices/device_registry.ts";
import { collectivesOfUnknownChips, createWorkbench, type Workbench } from "./load.ts";

const DEVICE = getDevice("n300");
const TENSOR = "tensor<1x1x1024x1024xbf16>";

/** Machines of Wormhole chips with what their links make of axis 1 of a mesh. */
const MESHES = [
  { device: "n300", mesh: "1x2", chips: 2, links: 2, ring: false },
  { device: "t3000", mesh: "2x4", chips: 4, links: 2, ring: false },
  { device: "t3000", mesh: "1x8", chips: 8, links: 2, ring: true },
  { device: "wormhole-galaxy", mesh: "8x4", chips: 4, links: 4, ring: true },
  { device: "wormhole-galaxy-4u", mesh: "8x4", chips: 4, links: 4, ring: false },
] as const;

/** What a program of several cores takes before it moves anything, µs. */
const START_US = (DEVICE.stream.startup + DEVICE.stream.spread) / DEVICE.clock.aiclk;

/** A sum over the chips of axis 1 of a mesh, lowered to TTNN. */
function summed(mesh: string | undefined, device = "n300"): Workbench {
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
  return createWorkbench(parseModule(text, "sum.mlir"), getDevice(device));
}

/** Predicted time of the sum between the chips, without launch, in µs. */
function exchange({ binding, cost }: Workbench): number {
  const op = binding.graph.functions.flatMap(opSignatures).find(({ name }) => name === "ttnn.all_reduce");
  assert(op !== undefined);
  const { microseconds, terms } = cost.getOpRuntime(op, [undefined], [undefined], undefined);
  return microseconds - terms.launch - START_US;
}

Deno.test("a sum between chips scatters and gathers over the links of its axis of the mesh", () => {
  const bytes = 2 * 1024 * 1024;
  const { ethernet: { stepLatency, ringPacket, linePacket } } = DEVICE;
  for (const { device, mesh, chips, links, ring } of MESHES) {
    // A ring sends half of the bytes each way around.
    const perDirection = bytes * (chips - 1) / chips / (ring ? 2 : 1);
    // Two tiles of bf16 make a packet.
    const packets = perDirection / links / 4096;
    const each = (chips - 1) * stepLatency +
      packets * packetNanoseconds(4096, ring ? ringPacket : linePacket, DEVICE) / 1000;
    assertAlmostEquals(exchange(summed(mesh, device)), 2 * each + START_US, 1e-6, `${device} ${mesh}`);
    assertEquals(collectivesOfUnknownChips(summed(mesh, device)), []);
  }
});

Deno.test("a mesh that the machine cannot hold is an error that names both", () => {
  assertThrows(
    () => summed("2x4", "n300"),
    DiagnosticError,
    "its mesh 2x4 (8 chips) does not fit the machine's 1x2",
  );
  assertThrows(() => summed("3x3", "t3000"), DiagnosticError, "3x3");
  assertEquals(summed("2x4", "n150").meshIsAssumed, true);
  assertEquals(summed("2x4", "t3000").meshIsAssumed, false);
});

Deno.test("without a mesh the number of chips is unknown and taken from the bytes", () => {
  assertAlmostEquals(exchange(summed(undefined)), exchange(summed("1x2", "n150")), 1e-6);
  assertEquals(collectivesOfUnknownChips(summed(undefined)), ["ttnn.all_reduce"]);
});
