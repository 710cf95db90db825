// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import type { Attribute } from "../../lib/ir/attribute.ts";
import { lineCores, sticksOf } from "../../lib/programs/sliding_window/halo.ts";
import { launchPrograms } from "../../lib/programs/launch.ts";
import type { DeviceProgram, HaloProgram } from "../../lib/programs/program.ts";
import { chipDescription } from "../devices/device.ts";
import { getDevice } from "../devices/device_registry.ts";
import { pricedTensor } from "../testing/priced.ts";
import { microsecondsOf } from "./kernel.ts";
import { loneChip, priceProgram } from "./price_program.ts";

const N150 = getDevice("n150");
const P100 = getDevice("p100");

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
    config: {
      kind: "conv2d",
      computeConfig: { mathFidelity: "lofi" },
      conv2dConfig: { enableKernelStrideFolding: false, shardLayout: "height_sharded" },
    },
  }, loneChip(N150));
  assert(launched.status === "known", launched.status === "unknown" ? launched.reason : "");
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
  // Twice the channels are twice the bytes of padding and of the neighbours' pixels.
  near(microseconds({ ...around, channels: 512 }, "halo") / microseconds(around, "halo"), 2, 0.1);
});

/** A halo of rows of elements in height shards, window 3 and padding 1, on p100. */
function rowsOnP100(
  { height, width, bytes, cores, inside, outside }: Readonly<
    Record<"height" | "width" | "bytes" | "cores" | "inside" | "outside", number>
  >,
): HaloProgram {
  const image = { inputHeight: height, inputWidth: width, padHeight: 2, padWidth: 2 };
  const shards = { sticks: height * width, rowCores: cores, inputSticks: inside };
  return {
    kind: "halo",
    cores,
    circularBuffers: [],
    reads: [],
    writes: [],
    flops: 0,
    inputSticks: inside,
    outputSticks: outside,
    ...sticksOf(image, outside, shards),
    lineCores: lineCores(cores, cores, chipDescription(P100)),
    stickBytes: bytes,
    tiles: 0,
  };
}

Deno.test("cores of a line share the network for packets against its direction", () => {
  // DeepLabV3 on p100 (tt-perf-report:profiles): 103 cores whose shards of 192 pixels hold more than the 160 of their work.
  const drifting = rowsOnP100({ height: 128, width: 129, bytes: 512, cores: 103, inside: 192, outside: 424 });
  const us = (program: HaloProgram) => microsecondsOf(P100, priceProgram(program, P100).cycles);
  near(us(drifting), 28.6, 0.2);
  assert(drifting.foreignSticks > 0.9 * drifting.filledSticks, `${drifting.foreignSticks} of others`);
  const ownLine = { ...drifting, lineCores: 5 };
  assert(us(ownLine) < us(drifting) / 1.8, `${us(ownLine)} us in lines of five`);
  // Where every core holds what it works on, only the rows above and below come from others.
  const aligned = rowsOnP100({ height: 128, width: 128, bytes: 512, cores: 64, inside: 256, outside: 516 });
  near(aligned.foreignSticks / aligned.inputSticks, 1, 0.1);
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

Deno.test("a halo sends the bytes that its cores gain", () => {
  const rows = rowsOnP100({ height: 128, width: 128, bytes: 512, cores: 64, inside: 256, outside: 516 });
  assertEquals(priceProgram(rows, P100).nocBytes, (516 - 256) * 512 * 64);
});
