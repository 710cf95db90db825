// SPDX-License-Identifier: Apache-2.0
import { assert } from "@std/assert";
import { getDevice } from "../../sim/devices/device_registry.ts";
import { networkOf } from "../../sim/network/network.ts";
import { stepTraffic } from "../../sim/timeline/step_traffic.ts";
import type { SimulationOptions } from "../../sim/timeline/simulate.ts";
import { exampleTimeline } from "../../sim/testing/example_timeline.ts";
import { renderStepDetail } from "./step_detail.ts";
import { createStyle } from "./style.ts";

const style = createStyle("never", false, { write: () => {}, isTerminal: false, columns: 80 });

function detail(index: number, options: SimulationOptions = {}): string {
  const { graph, timeline } = exampleTimeline(options);
  const fn = graph.functions[1];
  const simulated = timeline.functions[1];
  const step = simulated?.steps[index];
  const device = getDevice("n150");
  const network = networkOf(device);
  assert(fn && simulated && step && network);
  const cost = stepTraffic(step, device);
  return renderStepDetail(
    {
      step,
      fn,
      region: simulated.l1Region,
      traffic: cost === undefined ? undefined : { cost, network },
      aiclk: device.clock.aiclk,
    },
    style,
  );
}

Deno.test("renderStepDetail() shows the parts of the time, L1 by address and the busiest links", async (t) => {
  await t.assertSnapshot(detail(2));
});

Deno.test("renderStepDetail() marks circular buffers that reach a tensor", () => {
  const text = detail(2, { constEvalL1Bytes: 1_032_000 });
  assert(text.includes("circular buffers, reaching a tensor"), text);
});
