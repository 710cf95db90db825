// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { testChipWithGrid } from "../../testing/chips.ts";
import { integerAttribute, integersAttribute } from "../../testing/op_queries.ts";
import { type ChipDescription, workerCores } from "../device/chip_description.ts";
import type { Attribute } from "../ir/attribute.ts";
import type { DataType } from "../layout/data_type.ts";
import type { LayoutRequest } from "../layout/make_layout.ts";
import { definitionOf } from "../ops/op_book.ts";
import { coresPerHead } from "./transformer/attention_buffers.ts";
import { launchPrograms } from "./launch.ts";
import { emptyRoom, FULL_RUN, type OpLaunch } from "./op_launch.ts";
import type { DeviceProgram } from "./program.ts";
import { circularBufferBytes } from "./circular_buffer.ts";
import type { ProgramTensor } from "./program_tensor.ts";
import { tensor } from "./testing/launching.ts";
import fc from "fast-check";

const GRIDS = [[8, 7], [11, 10], [5, 1], [1, 1], [8, 8]] as const;

const tensorOn = (
  chip: ChipDescription,
  shape: readonly number[],
  request: Partial<LayoutRequest> = {},
): ProgramTensor => tensor(shape, request, chip);

function launch(
  chip: ChipDescription,
  name: string,
  inputs: readonly ProgramTensor[],
  outputs: readonly ProgramTensor[],
  attributes: Readonly<Record<string, Attribute>> = {},
  isDeviceOperation = false,
): readonly DeviceProgram[] {
  const op: OpLaunch = {
    name,
    attributes: new Map(Object.entries(attributes)),
    inputs,
    outputs,
    config: undefined,
  };
  const context = {
    chip,
    room: () => emptyRoom(chip),
    mesh: [],
    isDeviceOperation,
    assumed: FULL_RUN,
  } as const;
  const launched = launchPrograms(definitionOf(name).costClass, op, context);
  assert(launched.status === "known", launched.status === "unknown" ? launched.reason : "");
  return launched.programs;
}

/** Tiles that all cores together put through an operation. */
function workOf(program: DeviceProgram | undefined, operation: string): number {
  if (program?.kind !== "stream" && program?.kind !== "resident") return 0;
  const times = program.kind === "stream" ? program.units : program.cores;
  const works = program.kind === "stream" ? program.compute.work : program.compute;
  return works.filter((work) => work.operation === operation)
    .reduce((sum, { count }) => sum + count * times, 0);
}

const chips = fc.constantFrom(...GRIDS.map(([rows, columns]) => testChipWithGrid(rows, columns)));
const tiles = fc.integer({ min: 1, max: 40 });
const formats = fc.constantFrom<DataType[]>("bf16", "f32", "bfp_bf8");
const memories = fc.constantFrom("dram", "l1");

Deno.test("every program runs on cores of the grid and has buffers with names of their own and whole bytes", () => {
  const dim = fc.constantFrom(-1, -2, 0, 1);
  const ops = fc.constantFrom(
    "relu",
    "cbrt",
    "logit",
    "typecast",
    "sum",
    "min",
    "prod",
    "argmax",
    "cumsum",
    "softmax",
    "rms_norm",
    "layer_norm",
    "sort",
    "topk",
  );
  fc.assert(
    fc.property(
      chips,
      ops,
      tiles,
      tiles,
      formats,
      memories,
      dim,
      (chip, op, rows, columns, dataType, bufferType, axis) => {
        const shape = [2, 3, 32 * rows, 32 * columns];
        const input = tensorOn(chip, shape, { dataType, bufferType });
        const reduced = shape.map((extent, index) => index === (axis + 4) % 4 ? 1 : extent);
        const output = op === "argmax"
          ? tensorOn(chip, reduced, { dataType: "u32", bufferType, tile: null })
          : tensorOn(chip, /sum|min|prod/.test(op) ? reduced : shape, { dataType, bufferType });
        const attributes = {
          dim: integerAttribute(axis),
          dimension: integerAttribute(axis),
          dim_arg: op === "prod" ? integerAttribute(axis) : integersAttribute([axis]),
          k: integerAttribute(shape.at(-1) ?? 1),
        };
        const programs = launch(chip, `ttnn.${op}`, [input], [output], attributes);
        assert(programs.length > 0, op);
        for (const program of programs) {
          assert(program.cores >= 1 && program.cores <= workerCores(chip), `${op}: ${program.cores} cores`);
          const names = program.circularBuffers.map(({ name }) => name);
          assertEquals(new Set(names).size, names.length, `${op}: ${names}`);
          for (const { name, bytes } of program.circularBuffers) {
            assert(Number.isInteger(bytes) && bytes > 0, `${op}: ${name} ${bytes}`);
          }
          for (const { bytes } of [...program.reads, ...program.writes]) assert(bytes >= 0);
        }
      },
    ),
    { numRuns: 600 },
  );
});

Deno.test("elementwise ops work on every tile of the result once, in shards and streams", () => {
  fc.assert(
    fc.property(
      chips,
      tiles,
      tiles,
      fc.boolean(),
      fc.constantFrom("relu", "add"),
      (chip, rows, columns, sharded, op) => {
        const cores = Math.min(rows, workerCores(chip));
        const shape = [32 * rows, 32 * columns];
        const tensor = tensorOn(
          chip,
          shape,
          sharded ? { bufferType: "l1", memoryLayout: "height_sharded", grid: [cores, 1] } : {},
        );
        const inputs = op === "add" ? [tensor, tensor] : [tensor];
        const [program, ...rest] = launch(chip, `ttnn.${op}`, inputs, [tensor]);
        assertEquals(rest, []);
        const perShard = Math.ceil(rows / cores);
        // Two tensors of one memory are worked on in their shards even where the last ones are partly empty.
        const onShards = sharded && (op === "add" || rows % perShard === 0);
        assertEquals(program?.kind, onShards ? "resident" : "stream");
        assertEquals(
          circularBufferBytes({ circularBuffers: program?.circularBuffers ?? [] }),
          onShards ? 0 : 2048 * (inputs.length + 1) * 2,
        );
        assertEquals(
          program?.cores,
          onShards ? tensor.shardCores : Math.min(workerCores(chip), rows * columns),
        );
        assertEquals(workOf(program, "eltwise"), onShards ? cores * perShard * columns : rows * columns);
      },
    ),
  );
});

Deno.test("a reduction puts every tile of its input through once, rows before columns", () => {
  fc.assert(
    fc.property(
      chips,
      tiles,
      tiles,
      fc.constantFrom([-1], [-2], [-1, -2], [0], [0, 1, 2, 3]),
      (chip, rows, columns, dims) => {
        const shape = [2, 3, 32 * rows, 32 * columns];
        const axes = dims.map((dim) => (dim + 4) % 4);
        const result = shape.map((extent, dim) => axes.includes(dim) ? 1 : extent);
        const input = tensorOn(chip, shape);
        const programs = launch(chip, "ttnn.sum", [input], [tensorOn(chip, result)], {
          dim_arg: integersAttribute(dims),
        }, true);
        const reduced = programs.filter((program) => workOf(program, "reduce") > 0);
        assertEquals(Math.round(workOf(reduced[0], "reduce")), input.tiles);
        programs.reduce((before, program) => {
          assertEquals(program.reads[0]?.tensor, before.writes[0]?.tensor);
          return program;
        });
        assertEquals(programs.at(-1)?.writes[0]?.tensor.shape, result);
        const oneTile = rows === 1 && columns === 1;
        const steps = axes.length < 4 ? axes.length : oneTile ? 3 : 4;
        assertEquals(programs.length, steps);
      },
    ),
  );
});

Deno.test("a minimum of block floats negates in its program, of so many rows in programs of their own", () => {
  const chip = testChipWithGrid(8, 8);
  const steps = (rows: number, dataType: DataType) => {
    const input = tensorOn(chip, [rows, 64], { dataType });
    const programs = launch(chip, "ttnn.min", [input], [tensorOn(chip, [1, 64], { dataType })], {
      dim_arg: integersAttribute([0]),
    }, true);
    return programs.map((program) => workOf(program, "simple") > 0 ? "negate" : "reduce");
  };
  assertEquals(steps(64, "bfp_bf8"), ["reduce"]);
  assertEquals(steps(32_768, "bfp_bf8"), ["negate", "reduce", "negate"]);
  assertEquals(steps(32_768, "bf16"), ["reduce"]);
});

Deno.test("products bring a dimension of the tile to the front before, and running ones back afterwards", () => {
  const chip = testChipWithGrid(8, 8);
  const input = tensorOn(chip, [64, 64], { bufferType: "l1" });
  const steps = (op: string, dim: number, key: string) =>
    launch(chip, `ttnn.${op}`, [input], [
      op === "prod" ? tensorOn(chip, [1, 64], { bufferType: "l1" }) : input,
    ], {
      [key]: integerAttribute(dim),
    }).map((program) => program.writes[0]?.tensor.shape.join("x"));
  assertEquals(steps("prod", 0, "dim_arg"), ["64x1x1x64", "1x1x1x64", "1x1x1x64"]);
  assertEquals(steps("cumprod", 0, "dim"), ["64x1x1x64", "64x1x1x64", "1x1x64x64"]);
  // Sums of bf16 run along rows and columns where they lie.
  assertEquals(steps("cumsum", 0, "dim"), ["64x64"]);
  const outer = launch(chip, "ttnn.cumsum", [tensorOn(chip, [8, 64, 64])], [tensorOn(chip, [8, 64, 64])], {
    dim: integerAttribute(0),
  });
  assertEquals(outer.map(({ cores }) => cores), [32, 4, 32]);
  assertEquals(workOf(outer[1], "eltwise"), 32);
});

Deno.test("binary ops tilize row-major operands first", () => {
  const chip = testChipWithGrid(8, 8);
  const rows = tensorOn(chip, [64, 1024], { tile: null });
  const tiled = tensorOn(chip, [64, 1024]);
  const programs = launch(chip, "ttnn.add", [rows, tiled], [tiled]);
  assertEquals(programs.map((program) => workOf(program, "tilize")), [64, 0]);
  assertEquals(programs.map((program) => workOf(program, "eltwise")), [0, 64]);
  assertEquals(programs[1]?.reads.every(({ tensor }) => tensor.tiled), true);
});

Deno.test("embedding gathers rows and tilizes them in one program; a tiled table is untilized before", () => {
  const chip = testChipWithGrid(8, 8);
  const indices = tensorOn(chip, [32, 32], { dataType: "u32", tile: null });
  const output = tensorOn(chip, [32, 32, 128]);
  const kinds = (table: ProgramTensor, picked = output) =>
    launch(chip, "ttnn.embedding", [indices, table], [picked]).map((program) =>
      workOf(program, "tilize") > 0 ? "tilize" : workOf(program, "untilize") > 0 ? "untilize" : "gather"
    );
  const table = tensorOn(chip, [512, 128], { tile: null });
  assertEquals(kinds(table), ["tilize"]);
  assertEquals(kinds(tensorOn(chip, [512, 128])), ["untilize", "tilize"]);
  assertEquals(kinds(table, tensorOn(chip, [32, 32, 128], { tile: null })), ["gather"]);
});

Deno.test("new rows of a cache in shards are written by the cores that hold them", () => {
  const chip = testChipWithGrid(8, 8);
  const cache = tensorOn(chip, [8, 32, 64, 128]);
  const update = tensorOn(chip, [1, 8, 32, 128], {
    bufferType: "l1",
    memoryLayout: "height_sharded",
    grid: [8, 1],
  });
  const [program] = launch(chip, "ttnn.paged_update_cache", [cache, update], []);
  assertEquals(program?.cores, 8);
  assertEquals(program?.reads.find(({ tensor }) => tensor === update)?.local, true);
  // Every head of every user rewrites the row of tiles that its position hits.
  assertEquals(program?.writes.map(({ bytes }) => bytes), [8 * 32 * 4 * 2048]);
});

Deno.test("attention multiplies queries with keys and scores with values", () => {
  const chip = testChipWithGrid(8, 8);
  const [query, keys] = [tensorOn(chip, [1, 8, 256, 64]), tensorOn(chip, [1, 8, 512, 64])];
  const programs = launch(chip, "ttnn.scaled_dot_product_attention", [query, keys, keys], [query], {
    is_causal: { kind: "bool", value: false },
  });
  // Per head 256 by 512 scores, 64 products each, and as many of the scores with 64 columns of values.
  assertEquals(programs.reduce((sum, { flops }) => sum + flops, 0), 8 * 2 * 256 * 512 * (64 + 64));
});

Deno.test("decode attention shares all cores among users and key heads, with a config 16 per head at most", () => {
  const chip = testChipWithGrid(8, 8);
  const cores = (users: number, heads: number) => {
    const query = tensorOn(chip, [1, users, 32, 128]);
    const keys = tensorOn(chip, [users, heads, 2048, 128]);
    const [program] = launch(chip, "ttnn.scaled_dot_product_attention_decode", [query, keys, keys], [query]);
    return program?.cores;
  };
  assertEquals([cores(1, 1), cores(1, 8), cores(32, 8), cores(8, 1)], [64, 64, 64, 64]);
  const grid = { computeWithStorageGridSize: [8, 8], qChunkSize: 32, kChunkSize: 0 } as const;
  const one = { users: 1, keyHeads: 1, isPaged: false };
  assertEquals([undefined, grid].map((config) => coresPerHead(config, one, chip)), [64, 16]);
  assertEquals(coresPerHead(undefined, { ...one, isPaged: true }, chip), 1);
});

Deno.test("an operand that stands for a whole tile fills one, of f32 word by word where the unpackers do not", () => {
  const wormhole = testChipWithGrid(8, 8);
  const blackhole = { ...wormhole, architecture: "blackhole" } as const;
  const fills = (
    shape: readonly number[],
    dataType: DataType,
    chip: ChipDescription = blackhole,
    other = dataType,
  ): readonly number[] => {
    const [a, b] = [tensorOn(chip, [64, 64], { dataType: other }), tensorOn(chip, shape, { dataType })];
    const [program] = launch(chip, "ttnn.add", [a, b], [a]);
    if (program?.kind !== "stream") return [];
    return [program.reader.broadcastFills, program.reader.copiedWords, program.reader.paddingWords];
  };
  assertEquals(fills([64, 64], "f32"), [0, 0, 0]);
  assertEquals(fills([1, 1], "bf16"), [1, 0, 0]);
  assertEquals(fills([1, 64], "bf16"), [1, 0, 0]);
  assertEquals(fills([1, 1], "f32"), [0, 0, 1024]);
  assertEquals(fills([1, 64], "f32"), [0, 1024, 0]);
  // Wormhole's unpackers spread whole words too, but not where the operands differ.
  for (const whole of ["f32", "si32", "u32"] as const) {
    assertEquals(fills([1, 64], whole, wormhole), [1, 0, 0]);
    assertEquals(fills([1, 64], whole, wormhole, "bf16"), [0, 1024, 0]);
  }
});

Deno.test("the tiles of all operands that are read with a tile are waited for at once", () => {
  const chip = testChipWithGrid(8, 8);
  const waits = (shapes: readonly (readonly number[])[]) => {
    const inputs = shapes.map((shape) => tensorOn(chip, shape));
    const [program] = launch(chip, shapes.length === 1 ? "ttnn.relu" : "ttnn.add", inputs, [
      tensorOn(chip, [64, 256]),
    ]);
    return program?.kind === "stream" ? [program.reader.barriers, program.reader.computesStrides] : undefined;
  };
  assertEquals(waits([[64, 256]]), [1, false]);
  assertEquals(waits([[64, 256], [64, 256]]), [1, true]);
  assertEquals(waits([[64, 256], [1, 256]]), [1, true]);
  // A column is waited for once per row of eight tiles as well, here once per core.
  assertEquals(waits([[64, 256], [64, 1]]), [2, true]);
});

Deno.test("a broadcast column or element is read once for the tiles of a row or plane that a core makes", () => {
  const chip = testChipWithGrid(8, 8);
  const reads = (out: readonly number[], shape: readonly number[]): number => {
    const [a, b] = [tensorOn(chip, out), tensorOn(chip, shape)];
    const [program] = launch(chip, "ttnn.multiply", [a, b], [a]);
    return (program?.reads.find(({ tensor }) => tensor === b)?.bytes ?? 0) / 2048;
  };
  // 64 cores make a row of 64 tiles each.
  assertEquals(reads([2048, 2048], [2048, 1]), 64);
  assertEquals(reads([2048, 2048], [1, 1]), 64);
  assertEquals(reads([2048, 2048], [1, 2048]), 4096);
  // Two planes of 64 rows: a core makes two rows, all of one plane.
  assertEquals(reads([2, 2048, 2048], [2, 2048, 1]), 128);
  assertEquals(reads([2, 2048, 2048], [2, 1, 1]), 64);
  // 192 tiles, three per core, in rows of two: every core touches two rows.
  assertEquals(reads([3072, 64], [3072, 1]), 128);
  // Planes of one tile: nothing lasts.
  assertEquals(reads([256, 1, 1], [1, 1, 1]), 256);
});

Deno.test("a mesh_shard moves a tensor between host and chips, unless the tensor is on its chips already", () => {
  const chip = testChipWithGrid(8, 8);
  const [whole, part] = [tensorOn(chip, [64, 1024]), tensorOn(chip, [32, 1024])];
  const sharded = (type: string) =>
    launch(chip, "ttnn.mesh_shard", [whole], [part], {
      shard_type: { kind: "dialect", dialect: "ttcore", mnemonic: "shard_type", body: type },
    }).map(({ kind }) => kind);
  assertEquals(sharded("devices"), ["host_transfer"]);
  assertEquals(sharded("replicate"), ["host_transfer"]);
  assertEquals(sharded("identity"), []);
});
