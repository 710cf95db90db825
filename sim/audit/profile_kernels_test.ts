// SPDX-License-Identifier: Apache-2.0
import { assert } from "@std/assert";
import { relayout } from "../../lib/programs/relayout.ts";
import { chipDescription, withConstants } from "../devices/device.ts";
import { getDevice } from "../devices/device_registry.ts";
import { priceOp } from "../kernels/price_program.ts";
import { pricedTensor } from "../testing/priced.ts";
import { profiledKernel } from "./profile_kernels.ts";

Deno.test("older profiles wait for each tile until it has arrived, and for each row of elements that is padded", () => {
  // Few cores, as in the profile, so that what one core waits for shows.
  const grid = { workerColumns: 5, workerRows: 4 };
  const device = withConstants(getDevice("p150"), { grid }, "test", "guess");
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
