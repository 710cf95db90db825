// SPDX-License-Identifier: Apache-2.0
import { windowPositions } from "../../lib/layout/window_positions.ts";
import { dense, type DrawnProgram, type DrawnSteps, type DrawnValue } from "./program_text.ts";

function perChannel(program: DrawnProgram, op: string, image: DrawnValue, rank: number): DrawnValue {
  const channels = image.shape[1] ?? 1;
  const parameter = program.argument(
    rank === 1 ? [channels] : new Array<number>(rank).fill(1).with(-3, channels),
    "parameter",
  );
  const row = rank === 4 ? parameter : program.reshape(parameter, [1, channels, 1, 1]);
  return program.op(op, [image, program.broadcast(row, image.shape)], image.shape);
}

/** Steps on images, channels first. */
export const IMAGE_STEPS: DrawnSteps = {
  convolution: (program, x, { how, size }) => {
    const [batch = 1, channels = 1, height = 1, width = 1] = x.shape;
    const kernel = how % 2 === 0 ? 1 : 2;
    if (x.shape.length !== 4 || height < kernel || width < kernel) return undefined;
    const filters = 2 + size % 3;
    const stride = size % 2 === 0 ? 1 : kernel;
    const positions = (extent: number): number =>
      windowPositions(extent, { kernel, stride, dilation: 1, padding: [before, after] });
    const [before, after] = [how % 2, size % 2];
    const weight = program.argument([filters, channels, kernel, kernel], "parameter");
    let image = program.op(
      "conv2d",
      [x, weight],
      [batch, filters, positions(height), positions(width)],
      `batch_dim = 0 : i64, channel_dim = 1 : i64, height_dim = 2 : i64, width_dim = 3 : i64, groups = 1 : i32, ` +
        `dilation = ${dense([1, 1], "i32")}, padding = ${dense([before, before, after, after], "i32")}, ` +
        `stride = ${dense([stride, stride], "i32")}`,
    );
    if (how % 3 === 0) image = perChannel(program, "multiply", image, 4);
    return how % 5 < 3 ? perChannel(program, "add", image, how % 5 === 0 ? 4 : 1) : image;
  },
  pool: (program, x, { how, size }) => {
    const [batch = 1, channels = 1, height = 1, width = 1] = x.shape;
    const kernel = 2 + how % 2;
    if (x.shape.length !== 4 || height < kernel || width < kernel) return undefined;
    const stride = 1 + size % 2;
    // Top, left, bottom, right: padding by one on any sides.
    const sides = [0, 1, 2, 3].map((bit) => how >> bit & 1);
    const [top = 0, left = 0, bottom = 0, right = 0] = sides;
    const ceilMode = size % 3 === 0;
    const positions = (extent: number, before: number, after: number): number =>
      windowPositions(extent, { kernel, stride, dilation: 1, padding: [before, after], ceilMode });
    const isAverage = size % 5 === 0 && !ceilMode;
    return program.op(
      isAverage ? "avg_pool2d" : "max_pool2d",
      [x],
      [batch, channels, positions(height, top, bottom), positions(width, left, right)],
      `batch_dim = 0 : i64, channel_dim = 1 : i64, height_dim = 2 : i64, width_dim = 3 : i64, ` +
        `dilation = ${dense([1, 1], "i32")}, kernel = ${dense([kernel, kernel], "i32")}, ` +
        `padding = ${dense(sides, "i32")}, ` +
        `stride = ${dense([stride, stride], "i32")}, ceil_mode = ${ceilMode}` +
        (isAverage ? ", count_include_pad = true" : ""),
    );
  },
};
