// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { integerValue, integerValues } from "../../../lib/dialect/attribute_values.ts";
import type { OpQuestion } from "../op_question.ts";
import { conv2dOp, haloOp } from "./images.ts";
import { measuredChip, type OpReader } from "./measured_chip.ts";
import type { MeasuredOp, Params } from "./measured_op.ts";
import { distributedNormOp } from "./rows_of_elements.ts";
import { measuredOpRows } from "./measured_op_rows.ts";

function row(group: string, what: string, params: Params): MeasuredOp {
  const measured = { value: 10, unit: "us", quantity: "device kernel duration" };
  return { id: "1", group, chip: "n150", what, params, measured, source: "test", note: "" };
}

function asked(reader: OpReader, measured: MeasuredOp): readonly OpQuestion[] {
  const chip = measuredChip(measured);
  assert(chip !== undefined);
  return reader(measured, chip);
}

/** Why a row is left out. */
function reason(measured: MeasuredOp): string {
  const [audited] = measuredOpRows([measured]);
  assert(audited?.status === "excluded");
  return audited.reason;
}

function only(questions: readonly OpQuestion[]): OpQuestion {
  const [question] = questions;
  assert(question !== undefined && questions.length === 1);
  return question;
}

/** Window, stride and channels of a convolution, and the grid of its input. */
function shapeOf({ attributes = new Map(), inputs }: OpQuestion) {
  return {
    kernel: integerValues(attributes.get("kernel_size")),
    stride: integerValues(attributes.get("stride")),
    channels: [integerValue(attributes.get("in_channels")), integerValue(attributes.get("out_channels"))],
    image: integerValue(attributes.get("input_height")),
    grid: inputs[0]?.place.grid,
  };
}

Deno.test("convolutions listed as matrices: the window from the extent, the image from the stage, cores from the block", () => {
  const listed = (rows: number, depth: number, out: number, stage: string, cores: number, block: number) =>
    only(asked(
      conv2dOp,
      row("conv2d", `Conv2d ${rows} x ${depth} x ${out}`, {
        out_rows: rows,
        k_dim: depth,
        out_channels: out,
        stage,
        cores,
        flags: `ABH=${block}|${block} SR`,
        dtypes: "HiFi4 BF16 x BF16 => BF16",
      }),
    ));
  const halved = listed(3136, 1152, 256, "layer3 56x56x256", 64, 2);
  assertEquals(halved.only, "convolution");
  assertEquals(shapeOf(halved), {
    kernel: [3, 3],
    stride: [2, 2],
    channels: [128, 256],
    image: 112,
    // 98 rows of tiles, two each.
    grid: [49, 1],
  });
  assertEquals(shapeOf(listed(800, 4608, 512, "layer4 28x28x512", 56, 4)), {
    kernel: [3, 3],
    stride: [1, 1],
    channels: [512, 512],
    image: 28,
    grid: [7, 8],
  });
  assertEquals(shapeOf(listed(12544, 64, 128, "layer2 112x112x128", 56, 7)).kernel, [1, 1]);
});

Deno.test("halos: the window of the convolution around them, or why there is none", () => {
  const params = { in_shape: [1, 1, 1600, 256], hw: [40, 40], kernel: 3, cores: 64, in_layout: "TILE" };
  const halo = only(asked(haloOp, row("halo", "halo", { ...params, shard: "BLOCK" })));
  assertEquals([halo.only, shapeOf(halo).grid], ["halo", [8, 8]]);
  assertEquals(reason(row("halo", "halo", params)), "the shards are not in the row");
  assertEquals(reason(row("halo", "halo", {})), "the image or the window is not in the row");
});

Deno.test("distributed norms: partial sums, their gather and the second part; no op runs the fused kernel", () => {
  const config = { config: "flux_tp8_N1024" };
  const composite = asked(distributedNormOp, row("norm_distributed", "norm, composite", config));
  assert(typeof composite !== "string");
  assertEquals(composite.map(({ name, inputs }) => [name, inputs[0]?.shape]), [
    ["ttnn.layer_norm_pre_all_gather", [1, 1, 1024, 768]],
    ["ttnn.all_gather", [1, 1, 1024, 64]],
    ["ttnn.layer_norm_post_all_gather", [1, 1, 1024, 768]],
  ]);
  assertEquals(
    reason(row("norm_distributed", "norm, fused", config)),
    "the fused kernel of the model library is not an op of the dialect",
  );
});
