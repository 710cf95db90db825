// SPDX-License-Identifier: Apache-2.0
import { assert } from "@std/assert";
import type { Attribute } from "../../lib/ir/attribute.ts";
import { launchPrograms } from "../../lib/programs/launch.ts";
import type { DeviceProgram } from "../../lib/programs/program.ts";
import { getDevice } from "../devices/device_registry.ts";
import { pricedTensor } from "../testing/priced.ts";
import { microsecondsOf } from "./kernel.ts";
import { loneChip } from "./price_launch.ts";
import { priceProgram } from "./price_program.ts";

const N150 = getDevice("n150");

/** A convolution of a square image of rows of elements in height shards. */
interface Convolution {
  readonly image: number;
  readonly channels: number;
  readonly kernel: number;
  readonly stride: number;
  readonly padding: number;
  readonly groups?: number;
  readonly cores: number;
}

function programsOf(given: Convolution): readonly DeviceProgram[] {
  const { image, channels, kernel, stride, padding, groups = 1, cores } = given;
  const side = Math.floor((image + 2 * padding - kernel) / stride) + 1;
  const place = { bufferType: "l1", memoryLayout: "height_sharded", grid: [cores, 1] } as const;
  const integer = (value: number): Attribute => ({ kind: "integer", value: BigInt(value), type: undefined });
  const pair = (value: number): Attribute => ({
    kind: "denseArray",
    elementType: "i32",
    values: [value, value],
  });
  const launched = launchPrograms("conv2d", {
    name: "ttnn.conv2d",
    attributes: new Map(Object.entries({
      batch_size: integer(1),
      input_height: integer(image),
      input_width: integer(image),
      in_channels: integer(channels),
      out_channels: integer(channels),
      kernel_size: pair(kernel),
      stride: pair(stride),
      padding: pair(padding),
      dilation: pair(1),
      groups: integer(groups),
    })),
    inputs: [
      pricedTensor(N150, [1, 1, image * image, channels], { ...place, tile: null }),
      pricedTensor(N150, [1, 1, kernel ** 2 * channels, channels]),
    ],
    outputs: [pricedTensor(N150, [1, 1, side * side, channels], place)],
    config: { kind: "conv2d", computeConfig: { mathFidelity: "lofi" } },
  }, loneChip(N150));
  assert(launched.status === "known");
  return launched.programs;
}

function microseconds(given: Convolution, kind: "halo" | "convolution"): number {
  const program = programsOf(given).find((each) => each.kind === kind);
  assert(program !== undefined, `no ${kind}`);
  return microsecondsOf(N150, priceProgram(program, N150).cycles);
}

function near(predicted: number, published: number, share: number): void {
  assert(Math.abs(predicted / published - 1) < share, `${predicted} us, published ${published} us`);
}

Deno.test("the core at the edge of an image fills a row of padding stick by stick while the others copy", () => {
  // Halos of a SegFormer encoder on Wormhole, published with the time of every thread.
  const around = { image: 64, channels: 256, kernel: 3, stride: 1, padding: 1, cores: 64 };
  near(microseconds(around, "halo"), 14.4, 0.2);
  near(
    microseconds({ image: 64, channels: 64, kernel: 4, stride: 4, padding: 0, cores: 8 }, "halo"),
    2.73,
    0.25,
  );
  // Twice the channels are twice the bytes of padding; without padding little is left.
  near(microseconds({ ...around, channels: 512 }, "halo") / microseconds(around, "halo"), 2, 0.1);
  const inside = microseconds({ ...around, padding: 0 }, "halo");
  assert(inside < microseconds(around, "halo") / 2, `${inside} us without padding`);
});

Deno.test("a depthwise convolution multiplies as much as a dense one", () => {
  // Weights of groups are filled up with zeros: SegFormer's takes 66 us, its own products would take 2.
  const depthwise = { image: 128, channels: 128, kernel: 3, stride: 1, padding: 1, groups: 128, cores: 64 };
  const dense = { ...depthwise, groups: 1 };
  const us = microseconds(depthwise, "convolution");
  assert(us > 45 && us < 100, `${us} us`);
  near(us / microseconds(dense, "convolution"), 1, 0.001);
});

Deno.test("channels are multiplied with their padding", () => {
  // Three channels take as many tiles per window as eight; both leave most of a tile empty.
  const image = { image: 224, kernel: 3, stride: 1, padding: 1, cores: 64 };
  const depth = (channels: number) => {
    const program = programsOf({ ...image, channels }).find(({ kind }) => kind === "convolution");
    assert(program?.kind === "convolution");
    return program.depth;
  };
  assert(depth(3) === 3 && depth(8) === 3 && depth(32) === 9, `${depth(3)} ${depth(8)} ${depth(32)}`);
});
