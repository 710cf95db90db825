// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { LayoutTable } from "../../lib/layout/layout_table.ts";
import type { Conv2dConfig } from "../../lib/op_config/op_config.ts";
import type { MathFidelity } from "../../lib/op_config/math_fidelity.ts";
import { createOpModel } from "../../lib/opmodel/create_op_model.ts";
import type { OpConstraints } from "../../lib/opmodel/op_model.ts";
import {
  integerAttribute,
  integersAttribute,
  layoutOf,
  type LayoutText,
  signatureOf,
  tensorOf,
} from "../../testing/op_queries.ts";
import { chipDescription } from "../devices/device.ts";
import { getDevice } from "../devices/device_registry.ts";
import { microsecondsOf } from "./kernel.ts";
import { priceOp, priceProgram } from "./price_program.ts";

const N150 = getDevice("n150");

/** A convolution of one square image without groups; the padding keeps the image at stride 1. */
interface Convolution {
  readonly image: number;
  readonly channels: readonly [into: number, out: number];
  readonly kernel: number;
  readonly stride: number;
  readonly memory: LayoutText;
  readonly hint?: LayoutText;
  readonly fidelity: MathFidelity;
  readonly config?: Conv2dConfig;
}

function answerOf(given: Convolution): OpConstraints {
  const model = createOpModel({ chip: chipDescription(N150), layouts: new LayoutTable() });
  const { image, kernel, stride, channels: [into, out] } = given;
  const padding = Math.floor(kernel / 2);
  const side = Math.floor((image + 2 * padding - kernel) / stride) + 1;
  const input = tensorOf([1, 1, image * image, into]);
  const weight = tensorOf([1, 1, kernel * kernel * into, out]);
  const result = tensorOf([1, 1, side * side, out]);
  const pair = (value: number) => integersAttribute([value, value]);
  const op = signatureOf("ttnn.conv2d", [input, weight], [result], {
    batch_size: integerAttribute(1),
    input_height: integerAttribute(image),
    input_width: integerAttribute(image),
    in_channels: integerAttribute(into),
    out_channels: integerAttribute(out),
    kernel_size: pair(kernel),
    stride: pair(stride),
    padding: pair(padding),
    dilation: pair(1),
    groups: integerAttribute(1),
  });
  const layouts = [layoutOf(model, input, given.memory), layoutOf(model, weight, "dram")];
  const hint = given.hint === undefined ? undefined : layoutOf(model, result, given.hint);
  const config = {
    kind: "conv2d",
    conv2dConfig: { ...given.config },
    computeConfig: { mathFidelity: given.fidelity },
  } as const;
  return model.queryOpConstraints(op, layouts, hint, config);
}

/** Published kernel times in µs: RT-DETR and ResNet-18 on one Wormhole chip, in the profiles of their demos. */
const PUBLISHED: readonly (Convolution & { readonly microseconds: number; readonly cores: number })[] = [
  {
    image: 40,
    channels: [256, 256],
    kernel: 3,
    stride: 1,
    memory: "bs 8x8",
    fidelity: "hifi2",
    config: { actBlockHOverride: 224 },
    microseconds: 96.5,
    cores: 64,
  },
  {
    image: 160,
    channels: [64, 64],
    kernel: 3,
    stride: 1,
    memory: "hs 62x1",
    fidelity: "hifi2",
    microseconds: 53.4,
    cores: 62,
  },
  {
    image: 224,
    channels: [64, 64],
    kernel: 3,
    stride: 1,
    memory: "hs 64x1",
    fidelity: "hifi4",
    config: { actBlockHOverride: 800 },
    microseconds: 115,
    cores: 64,
  },
  {
    image: 224,
    channels: [64, 128],
    kernel: 3,
    stride: 2,
    memory: "hs 64x1",
    fidelity: "hifi4",
    config: { actBlockHOverride: 224 },
    microseconds: 57,
    cores: 64,
  },
  {
    image: 112,
    channels: [128, 256],
    kernel: 3,
    stride: 2,
    memory: "hs 64x1",
    fidelity: "hifi4",
    config: { actBlockHOverride: 64 },
    microseconds: 88,
    cores: 64,
  },
  {
    image: 56,
    channels: [256, 256],
    kernel: 3,
    stride: 1,
    memory: "hs 64x1",
    fidelity: "hifi4",
    config: { actBlockHOverride: 64 },
    microseconds: 170,
    cores: 64,
  },
  {
    image: 28,
    channels: [512, 512],
    kernel: 3,
    stride: 1,
    memory: "bs 7x8",
    fidelity: "hifi4",
    config: { actBlockHOverride: 128 },
    microseconds: 140,
    cores: 56,
  },
];

Deno.test("published convolutions run on the cores of their input's shards and take the published time", () => {
  for (const given of PUBLISHED) {
    const answer = answerOf(given);
    const name = `${given.image}x${given.image} ${given.channels.join(" to ")} ${given.memory}`;
    assert(answer.status === "valid", name);
    const kernel = answer.programs.find(({ kind }) => kind === "convolution");
    assert(kernel !== undefined, name);
    assertEquals(kernel.cores, given.cores, name);
    const microseconds = microsecondsOf(N150, priceProgram(kernel, N150).cycles);
    const error = microseconds / given.microseconds - 1;
    assert(Math.abs(error) < 0.2, `${name}: ${microseconds} us instead of ${given.microseconds}`);
  }
});

/** The 1x1 convolution of ResNet-50's first stage with a batch of eight, on the shards that the pool before leaves. */
const POINTWISE: Convolution = {
  image: 158,
  channels: [64, 256],
  kernel: 1,
  stride: 1,
  memory: "hs 61x1",
  fidelity: "hifi4",
};

Deno.test("1x1 convolutions on shards are a matmul of tens of us on the cores of those shards", () => {
  for (const cores of [61, 56, 49]) {
    const answer = answerOf({ ...POINTWISE, memory: `hs ${cores}x1` });
    assert(answer.status === "valid");
    assertEquals(answer.programs.map(({ kind }) => kind), ["matmul"]);
    assertEquals(answer.cores, cores);
    const { cycles } = priceOp({ status: "known", programs: answer.programs }, N150);
    const microseconds = microsecondsOf(N150, cycles);
    assert(microseconds > 10 && microseconds < 100, `${cores} cores: ${microseconds} us`);
  }
});

Deno.test("reshard_if_not_optimal moves a sharded input to the cores that suit the convolution", () => {
  const [, , , , , given] = PUBLISHED;
  assert(given !== undefined);
  const config = { ...given.config, shardLayout: "height_sharded", reshardIfNotOptimal: true } as const;
  const kept = answerOf(given);
  const moved = answerOf({ ...given, config });
  assert(kept.status === "valid" && moved.status === "valid");
  assertEquals(kept.programs.map(({ kind }) => kind), ["halo", "convolution"]);
  // 98 rows of tiles: 49 cores waste nothing, 64 cores work on two rows each and leave some idle.
  assertEquals(moved.programs.map(({ kind, cores }) => `${kind} ${cores}`), [
    "transfer 49",
    "halo 49",
    "resident 49",
    "convolution 49",
  ]);
});
