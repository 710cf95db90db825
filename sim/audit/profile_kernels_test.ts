// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { relayout } from "../../lib/programs/relayout.ts";
import { chipDescription, withConstants } from "../devices/device.ts";
import { getDevice } from "../devices/device_registry.ts";
import { priceOp } from "../kernels/price_program.ts";
import { pricedTensor } from "../testing/priced.ts";
import { parseMeasuredRows } from "./measured_row.ts";
import { profiledKernel } from "./profile_kernels.ts";
import { profileTensors } from "./profile_tensor.ts";

Deno.test("older profiles wait for each tile until it has arrived, and for each row of elements that is padded", () => {
  // Few cores, as in the profile, so that what one core waits for shows.
  const grid = { workerColumns: 5, workerRows: 4 };
  const device = withConstants(getDevice("p150-13x10"), { grid }, "test", "guess");
  const input = pricedTensor(device, [1, 1, 25_281, 256], { tile: null });
  const output = pricedTensor(device, [1, 1, 25_281, 256]);
  const now = priceOp(relayout(input, output, chipDescription(device)), device).cycles;
  const recorded = (kind: string) => {
    const tensors = { inputs: [input], output, cores: 20, available: 20 };
    return profiledKernel(`${kind}DeviceOperation`, "", "HiFi4", tensors)?.(device).cycles ?? NaN;
  };
  const rowsOfTiles = Math.ceil(Math.ceil(25_281 / 32) / 20);
  const perTile = (recorded("Tilize") - now) / (8 * rowsOfTiles);
  const { noc: { writeLatency }, stream: { readBarrier, tileDeparture } } = device;
  assert(perTile > 0 && perTile <= writeLatency - tileDeparture, `${perTile} cycles per tile`);
  const perRow = (recorded("TilizeWithValPadding") - recorded("Tilize")) / (32 * rowsOfTiles);
  assert(perRow > 0.25 * readBarrier && perRow < readBarrier, `${perRow} cycles per row`);
});

Deno.test("block shards whose split is not told fit the worker grid", () => {
  const [row] = parseMeasuredRows("rows.json", [{
    source: "profile",
    device: "p100",
    op: "Conv2dDeviceOperation",
    group: "op_profile",
    shapes: { in0: [1, 1, 32_000, 512], out: [1, 1, 2048, 256] },
    layouts: { in0: "L1_BLOCK_SHARDED/ROW_MAJOR", out: "L1_BLOCK_SHARDED/TILE" },
    dtype: "BFLOAT16>BFLOAT8_B",
    grid: "64 cores of 110",
    measured: { us: 103.109 },
  }]);
  assert(row !== undefined);
  // Shards of 16 by 4 would be squarer, but no grid of 11 by 10 has sixteen of anything.
  assertEquals(profileTensors(row, [11, 10])?.output?.gridShape, [8, 8]);
  assertEquals(profileTensors(row, [16, 4])?.output?.gridShape, [16, 4]);
});
