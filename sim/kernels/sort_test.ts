// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { attributesOf } from "../audit/op_question.ts";
import { withWorkerGrid } from "../audit/row_model.ts";
import { getDevice } from "../devices/device_registry.ts";
import { getMeasuredDevice } from "../microbenchmarks/measured_device.ts";
import { pricedTensor } from "../testing/priced.ts";
import { type KernelCost, microsecondsOf } from "./kernel.ts";
import { priceLaunch } from "./price_program.ts";

function topk(
  name: string,
  shape: readonly number[],
  k: number,
  cores?: readonly [number, number],
): KernelCost {
  const device = withWorkerGrid(getMeasuredDevice(name), cores);
  const kept = [...shape.slice(0, -1), k];
  return priceLaunch("sort", {
    name: "ttnn.topk",
    attributes: attributesOf({ k, dim: -1 }),
    inputs: [pricedTensor(device, shape)],
    outputs: [pricedTensor(device, kept), pricedTensor(device, kept, { dataType: "u16" })],
    config: undefined,
  }, device);
}

function near({ cycles }: KernelCost, name: string, published: number, share: number): void {
  const predicted = microsecondsOf(getDevice(name), cycles);
  assert(Math.abs(predicted / published - 1) < share, `${predicted} us, published ${published} us`);
}

Deno.test("topk cuts a wide row into halves, as far as there are cores beside the one that merges", () => {
  const wide = (cores?: readonly [number, number]) => topk("n300", [1, 1, 32, 16384], 32, cores);
  assertEquals([wide([9, 1]).cores, wide([16, 1]).cores, wide([17, 1]).cores, wide().cores], [8, 8, 16, 16]);
  // Published:ops-2, with an index tensor on 9 and on 17 cores.
  near(wide([9, 1]), "n300", 322, 0.1);
  near(wide([17, 1]), "n300", 200, 0.1);
});

Deno.test("topk transposes its result back, for rows of any width", () => {
  // Published:ops-2: two tiles of a router in a decoder of GPT-OSS, eight of a sampling.
  near(topk("p150", [1, 1, 1, 64], 32), "p150", 14.97, 0.16);
  near(topk("p100", [1, 1, 32, 256], 32), "p100", 39.6, 0.1);
});
