// SPDX-License-Identifier: Apache-2.0
import type { DrawnProgram, DrawnShape, DrawnSteps, DrawnValue } from "./program_text.ts";

/** Positions of a cache: two tiles, because the kernel writes whole tiles only. */
const ROWS = 64;

/** An unwritten cache: of zeros, of another number, an argument, or a view of one of these. */
function cacheOf(program: DrawnProgram, shape: DrawnShape, how: number): DrawnValue {
  const flat = [shape[0] ?? 1, (shape[1] ?? 1) * (shape[2] ?? 1), shape[3] ?? 1];
  const isViewed = how % 8 >= 4;
  const extents = isViewed ? flat : shape;
  const made = how % 4 === 3
    ? program.argument(extents, how % 16 >= 8 ? "input" : "constant")
    : program.full(extents, how % 4 === 2 ? 0.5 : 0);
  return isViewed ? program.reshape(made, shape) : made;
}

/** The contents of a cache after a write; values that may share its memory are not read again. */
function written(program: DrawnProgram, cache: DrawnValue, result: DrawnValue): DrawnValue {
  program.values = program.values.filter(({ origin }) => origin !== cache.origin);
  return { ...result, origin: cache.origin };
}

/** Steps that write in place. Upstream lowers them so that the operand is overwritten. */
export const CACHE_STEPS: DrawnSteps = {
  filled: (program, x, { how, size }) => {
    const width = x.shape.at(-1) ?? 1;
    if (width > 4 || width < 1) return undefined;
    const shape = [1 + size % 2, 1, ROWS, width];
    const cache = cacheOf(program, shape, how);
    const rows = program.argument([1, 1, 32, width], "input");
    const result = program.op(
      "fill_cache",
      [cache, program.op("tanh", [rows], rows.shape)],
      shape,
      `batch_offset = ${size % 2} : i32`,
    );
    return written(program, cache, result);
  },
  // A second fill of the same cache.
  refilled: (program, x, { size }) => {
    const [users = 0, heads, rows, width = 1] = x.shape;
    if (x.shape.length !== 4 || heads !== 1 || rows !== ROWS || users < 1) return undefined;
    const news = program.argument([1, 1, 32, width], "input");
    const result = program.op("fill_cache", [x, news], x.shape, `batch_offset = ${size % users} : i32`);
    return written(program, x, result);
  },
  updated: (program, x, { how, size }) => {
    const width = x.shape.at(-1) ?? 1;
    if (width > 4 || width < 1) return undefined;
    const shape = [1 + size % 2, 2, 32, width];
    const cache = cacheOf(program, shape, how);
    const rows = program.argument([1, 2, shape[0] ?? 1, width], "input");
    const at = program.integers([size % 32]);
    const result = program.line(
      "update_cache",
      [cache.name, rows.name, at.name],
      [program.typeOf(shape), program.typeOf(rows.shape), at.type],
      shape,
      "batch_offset = 0 : i32",
    );
    return written(program, cache, result);
  },
};
