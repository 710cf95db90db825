// SPDX-License-Identifier: Apache-2.0
import type { DataType } from "../../lib/layout/data_type.ts";
import type { Maker, QuestionMaker } from "./question.ts";
import type { Random } from "./random.ts";
import type { AskedTensor } from "./tensors.ts";

/** Rows, inner extent and columns of products in published models. */
const PRODUCTS: readonly (readonly [m: readonly number[], k: number, n: number])[] = [
  [[1, 384], 768, 768],
  [[1, 384], 768, 3072],
  [[8, 128], 768, 2304],
  [[1, 197], 3072, 768],
  [[1, 512], 1024, 4096],
  [[1, 1, 32], 2048, 8192],
  [[1, 1, 32], 2048, 2048],
  [[1, 128], 2048, 512],
  [[1, 1024], 160, 640],
  [[1, 4096], 64, 256],
  [[32], 512, 1000],
  [[1, 1, 3136], 64, 256],
  [[256], 256, 256],
];
const BATCHED: readonly (readonly [batch: readonly number[], m: number, k: number, n: number])[] = [
  [[1, 12], 384, 64, 384],
  [[8, 12], 128, 128, 64],
  [[1, 12], 197, 64, 197],
  [[1, 8], 512, 128, 512],
  [[4], 256, 64, 256],
];
const ACTIVATION_NAMES = ["gelu", "silu", "relu"];

interface AskedProduct {
  readonly left: readonly number[];
  readonly right: readonly number[];
  readonly result: readonly number[];
  readonly transposed: boolean;
}

function unbatched(random: Random): AskedProduct {
  const [rows, inner, columns] = random.pick(PRODUCTS);
  const transposed = random.chance(0.2);
  return {
    left: [...rows, inner],
    right: transposed ? [columns, inner] : [inner, columns],
    result: [...rows, columns],
    transposed,
  };
}

function batched(random: Random): AskedProduct {
  const [batch, rows, inner, columns] = random.pick(BATCHED);
  return {
    left: [...batch, rows, inner],
    right: [...batch, inner, columns],
    result: [...batch, rows, columns],
    transposed: false,
  };
}

/** The number of matrices of a product; in tiles, the rows of one result, the inner extent, the columns. */
function tilesOf({ left, result }: AskedProduct) {
  const tiles = (extent: number | undefined) => Math.ceil((extent ?? 1) / 32);
  const batch = result.slice(0, -2).reduce((product, extent) => product * extent, 1);
  return { batch, rows: tiles(result.at(-2)), inner: tiles(left.at(-1)), columns: tiles(result.at(-1)) };
}

function divisors(value: number): readonly number[] {
  return Array.from({ length: value }, (_, index) => index + 1).filter((parts) => value % parts === 0);
}

/**
 * Height and width in tiles of a subblock, which divides the block; nine times of ten it has at most the 8 tiles of
 * the destination register.
 */
function subblock(random: Random, rows: number, columns: number): readonly [number, number] {
  const most = random.chance(0.1) ? 16 : 8;
  const choices = divisors(rows).flatMap((height) =>
    divisors(columns).filter((width) => height * width <= most).map((
      width,
    ): [number, number] => [height, width])
  );
  // Passes take blocks as wide as the result's where they can.
  const wide = choices.filter(([height, width]) => width === columns || height === 1);
  return random.pick(random.chance(0.75) && wide.length > 0 ? wide : choices);
}

function struct(name: string, fields: Readonly<Record<string, string | number | boolean>>): string {
  const body = Object.entries(fields).map(([key, value]) => `${key} = ${value}`).join(", ");
  return `#ttnn.${name}<${body}>`;
}

function coordinate(x: number, y: number): string {
  return `#ttnn.core_coord<${x}, ${y}>`;
}

function fused(random: Random): Readonly<Record<string, string>> {
  if (!random.chance(0.2)) return {};
  return { fused_activation: `#ttnn.unary_with_param<op_type = <${random.pick(ACTIVATION_NAMES)}>>` };
}

/**
 * Makes the program config of a product (`null` leaves it to ttnn), the operands that go with it, and the output hint.
 * Without `right` the second operand is random.
 */
type ConfigMaker = (maker: Maker, product: AskedProduct) => {
  readonly config: string | null;
  readonly left: AskedTensor;
  readonly right?: AskedTensor;
  readonly hint: AskedTensor | undefined;
};

/** The op's own choice: no program config. */
const automatic: ConfigMaker = ({ tensors }, { left, result }) => {
  const first = tensors.any({ shape: left });
  return { config: null, left: first, hint: tensors.hint(first, { shape: result }) };
};

/** A 1D multicast: each core has whole columns of the result, or whole rows of it. */
const multicast1d: ConfigMaker = ({ random, tensors }, product) => {
  const { batch, rows, inner, columns } = tilesOf(product);
  const { workerGrid } = tensors.chip;
  const byColumns = random.chance(0.5);
  const wanted = byColumns ? columns : batch * rows;
  const cores = random.pick(
    divisors(wanted).filter((count) => count <= workerGrid.rows * workerGrid.columns),
  );
  const x = Math.min(cores, workerGrid.columns);
  const perCoreRows = byColumns ? batch * rows : wanted / cores;
  const perCoreColumns = byColumns ? wanted / cores : columns;
  const [height, width] = subblock(random, perCoreRows, perCoreColumns);
  const config = struct("matmul_multi_core_reuse_multi_cast_1d_program_config", {
    compute_with_storage_grid_size: coordinate(x, Math.ceil(cores / x)),
    in0_block_w: random.pick(divisors(inner)),
    out_subblock_h: height,
    out_subblock_w: width,
    out_block_h: perCoreRows,
    out_block_w: perCoreColumns,
    per_core_m: perCoreRows,
    per_core_n: perCoreColumns,
    fuse_batch: random.chance(0.9),
    ...fused(random),
    mcast_in0: byColumns,
    gather_in0: false,
    hop_cores: "#ttnn.core_range_set<>",
    num_global_cb_receivers: 0,
    untilize_out: false,
  });
  const kind = byColumns ? "width_sharded" : "height_sharded";
  const grid = byColumns ? [1, cores] : [cores, 1];
  const sharesInner = byColumns && inner % cores === 0;
  const left = random.chance(0.5) && (sharesInner || !byColumns)
    ? tensors.sharded(kind, grid, { shape: product.left })
    : tensors.any({ shape: product.left });
  return {
    config,
    left,
    hint: random.chance(0.6)
      ? tensors.sharded(kind, grid, { shape: product.result })
      : tensors.hint(left, { shape: product.result }),
  };
};

/** A 2D multicast: each core has a block of the result. */
const multicast2d: ConfigMaker = ({ random, tensors }, product) => {
  const { batch, rows, inner, columns } = tilesOf(product);
  const { workerGrid } = tensors.chip;
  const y = random.pick(divisors(batch * rows).filter((count) => count <= workerGrid.rows));
  const x = random.pick(divisors(columns).filter((count) => count <= workerGrid.columns));
  const perCoreRows = batch * rows / y;
  const perCoreColumns = columns / x;
  const [height, width] = subblock(random, perCoreRows, perCoreColumns);
  const config = struct("matmul_multi_core_reuse_multi_cast_program_config", {
    compute_with_storage_grid_size: coordinate(x, y),
    in0_block_w: random.pick(divisors(inner)),
    out_subblock_h: height,
    out_subblock_w: width,
    out_block_h: perCoreRows,
    out_block_w: perCoreColumns,
    per_core_m: perCoreRows,
    per_core_n: perCoreColumns,
    transpose_mcast: false,
    ...fused(random),
    fuse_batch: random.chance(0.85),
  });
  const sharesInner = inner % x === 0;
  const left = random.chance(0.5) && sharesInner
    ? tensors.sharded("block_sharded", [y, x], { shape: product.left })
    : tensors.any({ shape: product.left });
  return {
    config,
    left,
    hint: random.chance(0.6)
      ? tensors.sharded("block_sharded", [y, x], { shape: product.result })
      : tensors.hint(left, { shape: product.result }),
  };
};

/** Batched matrices: each core has a block of one of them. */
const reuse: ConfigMaker = ({ random, tensors }, product) => {
  const { rows, inner, columns } = tilesOf(product);
  const { workerGrid } = tensors.chip;
  const perCoreRows = random.pick(divisors(rows));
  const perCoreColumns = random.chance(0.75) ? columns : random.pick(divisors(columns));
  const [height, width] = subblock(random, perCoreRows, perCoreColumns);
  const config = struct("matmul_multi_core_reuse_program_config", {
    compute_with_storage_grid_size: coordinate(workerGrid.columns, workerGrid.rows),
    in0_block_w: random.pick(divisors(inner)),
    out_subblock_h: height,
    out_subblock_w: width,
    per_core_m: perCoreRows,
    per_core_n: perCoreColumns,
  });
  const left = tensors.any({ shape: product.left });
  return { config, left, hint: tensors.hint(left, { shape: product.result }) };
};

/** A few rows times weights that are sharded over the banks of DRAM. */
const dramSharded: ConfigMaker = ({ random, tensors }, product) => {
  const { rows, inner, columns } = tilesOf(product);
  const cores = random.pick(divisors(inner).filter((count) => count <= 32));
  const perCoreColumns = Math.ceil(columns / cores);
  const config = struct("matmul_multi_core_reuse_multi_cast_dram_sharded_program_config", {
    in0_block_w: random.pick(divisors(inner / cores)),
    per_core_m: rows,
    per_core_n: perCoreColumns,
    ...fused(random),
  });
  const left = random.chance(0.9)
    ? tensors.sharded("width_sharded", [1, cores], { shape: product.left })
    : tensors.any({ shape: product.left });
  const right = tensors.dramSharded(Math.min(tensors.chip.dramBanks, columns), { shape: product.right });
  const on = Math.ceil(columns / perCoreColumns);
  return { config, left, right, hint: tensors.sharded("width_sharded", [1, on], { shape: product.result }) };
};

const ROWS_OF_DECODE = 32;

function productOf(kind: string, random: Random): AskedProduct {
  if (kind === "reuse") return batched(random);
  if (kind === "dram_sharded") {
    const inner = random.pick([1024, 2048, 4096]);
    const columns = random.pick([1024, 2048, 3072, 8192]);
    const rows = [1, 1, ROWS_OF_DECODE];
    return { left: [...rows, inner], right: [inner, columns], result: [...rows, columns], transposed: false };
  }
  return kind === "auto" && random.chance(0.3) ? batched(random) : unbatched(random);
}

function productMaker(op: "matmul" | "linear", kind: string, configOf: ConfigMaker): QuestionMaker {
  return (maker) => {
    const { random, tensors } = maker;
    const product = productOf(kind, random);
    const made = configOf(maker, product);
    const rightType = random.pick<DataType>(["bf16", "bf16", "bf16", "bfp_bf8"]);
    const right = made.right ??
      tensors.any({ shape: product.right, dataType: rightType, places: ["dram", "dram", "dram", "l1"] });
    const columns = product.result.at(-1) ?? 1;
    const bias = op === "linear" && random.chance(0.7)
      ? [
        tensors.at(random.chance(0.8) ? "dram" : "l1", {
          shape: random.chance(0.5) ? [columns] : [1, columns],
        }),
      ]
      : [];
    const activation = made.config === null && random.chance(0.2)
      ? { activation: `"${random.pick(ACTIVATION_NAMES)}"` }
      : {};
    return {
      op,
      operands: [made.left, right, ...bias],
      results: [{ shape: product.result }],
      hint: made.hint,
      attrs: {
        transpose_a: "false",
        transpose_b: String(product.transposed && made.right === undefined),
        ...activation,
      },
      config: {
        kind: "matmul",
        matmulProgramConfig: made.config,
        computeKernelConfig: computeConfig(random),
      },
    };
  };
}

/** A compute config, in one question of four. */
export function computeConfig(random: Random): string | null {
  if (!random.chance(0.25)) return null;
  return struct("device_compute_kernel_config", {
    math_fidelity: random.pick(["lofi", "hifi2", "hifi4"]),
    math_approx_mode: false,
    fp32_dest_acc_en: random.chance(0.5),
    packer_l1_acc: random.chance(0.5),
  });
}

const KINDS: readonly (readonly [kind: string, config: ConfigMaker])[] = [
  ["auto", automatic],
  ["1d", multicast1d],
  ["2d", multicast2d],
  ["reuse", reuse],
  ["dram_sharded", dramSharded],
];

/** Makers of the families of products. */
export const PRODUCT_FAMILIES: Readonly<Record<string, QuestionMaker>> = Object.fromEntries(
  (["matmul", "linear"] as const).flatMap((op) =>
    KINDS.filter(([kind]) => op === "matmul" || (kind !== "reuse" && kind !== "dram_sharded"))
      .map(([kind, config]) => [`${op}_${kind}`, productMaker(op, kind, config)] as const)
  ),
);
