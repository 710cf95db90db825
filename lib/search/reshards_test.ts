// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { TEST_WORMHOLE } from "../../testing/chips.ts";
import { dramInterleavedTiled, GraphBuilder } from "../../testing/graph_builder.ts";
import { type LayoutRequest, makeLayout } from "../layout/make_layout.ts";
import { type OpFootprint, opFootprint, reshardSignature } from "../memory/op_footprint.ts";
import { DEFAULT_POLICY_OPTIONS } from "../policy/options.ts";
import { realModels } from "../propagation/testing/real_models.ts";
import { OpEvaluator } from "./op_evaluator.ts";

Deno.test("a tensor is converted only into layouts that the memory op produces", () => {
  const tensor = { shape: [1024, 1024], dataType: "bf16" } as const;
  const { opModel, cost } = realModels();
  const evaluator = new OpEvaluator(new GraphBuilder().build(), opModel, cost, DEFAULT_POLICY_OPTIONS);
  const { layouts } = opModel;
  const dram = layouts.intern(dramInterleavedTiled(tensor));
  const [own, other] = [TEST_WORMHOLE.workerGrid, { rows: 10, columns: 13 }].map((grid) =>
    layouts.intern(makeLayout({ ...tensor, bufferType: "l1", memoryLayout: "interleaved" }, grid))
  );
  assert(own !== undefined && other !== undefined && own !== other);
  assertEquals(evaluator.reshardFootprint(tensor, dram, other).refusal?.rule, "result/other-layouts");
  assertEquals(evaluator.reshard(tensor, dram, other), undefined);
  assertEquals(evaluator.reshard(tensor, own, other), undefined);
  assert(evaluator.reshardMicroseconds(tensor, dram, own) > 0);
  const l1 = { bufferType: "l1", memoryLayout: "interleaved" } as const;
  for (const pages of [{}, { tile: null }]) {
    const f32 = makeLayout({ ...tensor, ...l1, ...pages, dataType: "f32" }, TEST_WORMHOLE.workerGrid);
    assertEquals(evaluator.reshard(tensor, dram, layouts.intern(f32)), undefined, "a move keeps the format");
  }
});

Deno.test("a tensor changes its page layout in place before it moves", () => {
  const tensor = { shape: [64, 128], dataType: "bf16" } as const;
  const { opModel, cost } = realModels();
  const evaluator = new OpEvaluator(new GraphBuilder().build(), opModel, cost, DEFAULT_POLICY_OPTIONS);
  const { layouts } = opModel;
  const [tiles, rowsThere, rows, narrow] = ([
    { bufferType: "l1" },
    { bufferType: "l1", tile: null },
    { bufferType: "dram", tile: null },
    { bufferType: "dram", tile: null, dataType: "f32" },
  ] as const).map((layout) =>
    layouts.intern(
      makeLayout({ ...tensor, memoryLayout: "interleaved", ...layout }, TEST_WORMHOLE.workerGrid),
    )
  );
  assert(tiles !== undefined && rowsThere !== undefined && rows !== undefined && narrow !== undefined);
  const here = evaluator.reshard(tensor, tiles, rowsThere);
  assert(here !== undefined && here.via === undefined && here.microseconds > 0);
  assertEquals(evaluator.reshard(tensor, tiles, rows), {
    microseconds: here.microseconds + evaluator.reshardMicroseconds(tensor, rowsThere, rows),
    via: rowsThere,
  });
  assertEquals(evaluator.reshard(tensor, tiles, narrow), undefined, "a move keeps the format");
});

Deno.test("tiles become rows in their shards where these are whole tiles without padding, else in interleaved memory", () => {
  const { opModel, cost } = realModels();
  const evaluator = new OpEvaluator(new GraphBuilder().build(), opModel, cost, DEFAULT_POLICY_OPTIONS);
  const layoutsOf = (shape: readonly number[], grid: readonly number[]) => {
    const tensor = { shape, dataType: "bf16" } as const;
    const of = (place: Pick<LayoutRequest, "bufferType" | "memoryLayout" | "grid" | "tile">) =>
      opModel.layouts.intern(makeLayout({ ...tensor, ...place }, TEST_WORMHOLE.workerGrid));
    const interleaved = { bufferType: "l1", memoryLayout: "interleaved" } as const;
    const sharded = { bufferType: "l1", memoryLayout: "height_sharded", grid } as const;
    return {
      tensor,
      tiles: of(interleaved),
      rows: of({ ...interleaved, tile: null }),
      tilesOfCores: of(sharded),
      rowsOfCores: of({ ...sharded, tile: null }),
    };
  };
  const whole = layoutsOf([1024, 96], [16, 1]);
  assertEquals(evaluator.inOtherPages(whole.tensor, whole.tilesOfCores), whole.rowsOfCores);
  assertEquals(evaluator.inOtherPages(whole.tensor, whole.rowsOfCores), whole.tilesOfCores);
  const within = evaluator.reshard(whole.tensor, whole.tilesOfCores, whole.rowsOfCores);
  assert(within !== undefined && within.via === undefined);
  const via = evaluator.reshard(whole.tensor, whole.tiles, whole.rowsOfCores)?.via;
  assert(via === whole.tilesOfCores || via === whole.rows);
  // Rows of three elements, and shards of 61 rows: the backend converts neither shards.
  for (const padded of [layoutsOf([1024, 3], [16, 1]), layoutsOf([1024, 96], [17, 1])]) {
    assertEquals(evaluator.inOtherPages(padded.tensor, padded.rowsOfCores), undefined);
    assertEquals(evaluator.reshard(padded.tensor, padded.rowsOfCores, padded.tiles)?.via, padded.rows);
    assertEquals(evaluator.reshard(padded.tensor, padded.tiles, padded.rowsOfCores)?.via, padded.rows);
  }
});

Deno.test("a move is priced as the cost model prices it between these layouts", () => {
  const tensor = { shape: [512, 1024], dataType: "bf16" } as const;
  const { opModel, cost } = realModels();
  const evaluator = new OpEvaluator(new GraphBuilder().build(), opModel, cost, DEFAULT_POLICY_OPTIONS);
  const dram = opModel.layouts.intern(dramInterleavedTiled(tensor));
  const places = [
    dram,
    evaluator.interleaved(tensor, dram, "l1"),
    ...evaluator.catalog.reshardTargets(tensor, dram),
  ];
  let moves = 0;
  for (const from of places) {
    for (const to of places) {
      const reshard = evaluator.reshard(tensor, from, to);
      if (from === to || reshard === undefined || reshard.via !== undefined) continue;
      assertEquals(reshard.microseconds, cost.getReshardRuntime(tensor, from, to).microseconds);
      moves++;
    }
  }
  assert(moves > 50, `${moves} moves`);
});

Deno.test("a host tensor reaches L1 through interleaved DRAM, and no tensor returns to the host", () => {
  const tensor = { shape: [256, 128], dataType: "bf16" } as const;
  const { opModel, cost } = realModels();
  const evaluator = new OpEvaluator(new GraphBuilder().build(), opModel, cost, DEFAULT_POLICY_OPTIONS);
  const of = (place: Pick<LayoutRequest, "bufferType" | "memoryLayout" | "grid">) =>
    opModel.layouts.intern(makeLayout({ ...tensor, ...place }, TEST_WORMHOLE.workerGrid));
  const host = of({ bufferType: "system_memory", memoryLayout: undefined });
  const dram = of({ bufferType: "dram", memoryLayout: "interleaved" });
  const shards = { memoryLayout: "height_sharded", grid: [4, 1] } as const;
  const places = [
    of({ bufferType: "l1", memoryLayout: "interleaved" }),
    of({ bufferType: "l1", ...shards }),
  ];
  const direct = evaluator.reshard(tensor, host, dram);
  assert(direct !== undefined && direct.via === undefined);
  for (const place of places) {
    assertEquals(evaluator.reshard(tensor, host, place), {
      microseconds: direct.microseconds + evaluator.reshardMicroseconds(tensor, dram, place),
      via: dram,
    });
  }
  for (const place of [dram, ...places]) {
    assertEquals(evaluator.reshard(tensor, place, host), undefined, "no policy sends tensors to the host");
  }
});

Deno.test("moves in opposite directions are distinct", () => {
  const tensor = { shape: [256, 128], dataType: "bf16" } as const;
  const { opModel, cost } = realModels();
  const evaluator = new OpEvaluator(new GraphBuilder().build(), opModel, cost, DEFAULT_POLICY_OPTIONS);
  const dram = opModel.layouts.intern(dramInterleavedTiled(tensor));
  const l1 = evaluator.interleaved(tensor, dram, "l1");
  const [there, back] = [[dram, l1], [l1, dram]].map(([from = dram, to = dram]) =>
    evaluator.reshardFootprint(tensor, from, to)
  );
  assert((there?.resultBytes[0] ?? 0) > 0);
  assertEquals(back?.resultBytes[0], 0);
});

Deno.test("a move takes one query to find and one to size, and its answer is the op model's", () => {
  const tensor = { shape: [1024, 1024], dataType: "bf16" } as const;
  const { opModel, cost } = realModels();
  const evaluator = new OpEvaluator(new GraphBuilder().build(), opModel, cost, DEFAULT_POLICY_OPTIONS);
  const dram = opModel.layouts.intern(dramInterleavedTiled(tensor));
  const shards = opModel.layouts.intern(
    makeLayout(
      { ...tensor, bufferType: "l1", memoryLayout: "height_sharded", grid: [32, 1] },
      TEST_WORMHOLE.workerGrid,
    ),
  );
  const asked = (ask: () => unknown): number => {
    const before = opModel.statistics.queries;
    ask();
    return opModel.statistics.queries - before;
  };
  assertEquals(asked(() => evaluator.reshard(tensor, dram, shards)), 1);
  assertEquals(asked(() => evaluator.reshardFootprint(tensor, dram, shards)), 1);
  assertEquals(asked(() => evaluator.reshardFootprint(tensor, dram, shards)), 0);
  assertEquals(asked(() => evaluator.reshard(tensor, dram, shards)), 0);
  const footprint = evaluator.reshardFootprint(tensor, dram, shards);
  // What depends on the free L1 is a function of each answer.
  const fixed = ({ inRoom: _inRoom, ...facts }: OpFootprint): Omit<OpFootprint, "inRoom"> => facts;
  assertEquals(
    fixed(footprint),
    fixed(opFootprint(opModel, reshardSignature(tensor), [dram], [shards], undefined)),
  );
  assert((footprint.resultBytes[0] ?? 0) > 0);
  assertEquals(asked(() => evaluator.reshardFootprint(tensor, shards, dram)), 1);
  assertEquals(asked(() => evaluator.reshard(tensor, shards, dram)), 1);
  assertEquals(
    asked(() => evaluator.reshardFootprint(tensor, shards, dram)),
    0,
    "sized before it was looked for",
  );
});
