// SPDX-License-Identifier: Apache-2.0

/** Simulation of whole programs, and the flow level of the network. */

import { parseModule } from "../lib/ir/mod.ts";
import { createWorkbench } from "../pipeline/load.ts";
import { getDevice } from "../sim/devices/device_registry.ts";
import { networkOf } from "../sim/network/network.ts";
import { simulateGraph } from "../sim/timeline/simulate.ts";
import { type Flow, flowTraffic } from "../sim/network/traffic.ts";

const text = Deno.readTextFileSync(new URL("../testdata/models/resnet50.mlir", import.meta.url));
const device = getDevice("n150");
const module = parseModule(text, "resnet50.mlir");
const warm = createWorkbench(module, device);

Deno.bench("simulate ResNet-50, everything new", { group: "simulate" }, () => {
  const workbench = createWorkbench(module, device);
  simulateGraph(workbench.binding.graph, undefined, workbench);
});

Deno.bench("simulate ResNet-50, answers known", { group: "simulate" }, () => {
  simulateGraph(warm.binding.graph, undefined, warm);
});

const network = networkOf(device);
if (network !== undefined) {
  const traffic = flowTraffic(device, network);
  const read = (source: number, core: number): Flow => ({
    kind: "read",
    noc: 0,
    source,
    destinations: [core],
    bytes: 65_536,
    transactionBytes: 2048,
  });
  const cores = Array.from({ length: network.cores }, (_, core) => core);
  const banks = Array.from(
    { length: network.nodes.length - network.cores },
    (_, bank) => network.cores + bank,
  );
  const fromBanks = cores.flatMap((core) => banks.map((bank) => read(bank, core)));
  const fromCores = cores.flatMap((core) => cores.map((source) => read(source, core)));

  Deno.bench(`flow level, ${fromBanks.length} flows from DRAM`, { group: "network" }, () => {
    traffic.time(fromBanks);
  });

  Deno.bench(`flow level, ${fromCores.length} flows between cores`, { group: "network" }, () => {
    traffic.time(fromCores);
  });
}
