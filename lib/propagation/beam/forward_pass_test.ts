// SPDX-License-Identifier: Apache-2.0

/** What pass 1 offers, refuses and counts, with the real op model; every score is recomputed from the candidate. */

import { assert, assertAlmostEquals, assertEquals, assertStringIncludes } from "@std/assert";
import type { GraphBuilder } from "../../../testing/graph_builder.ts";
import { idOf } from "../../../testing/ids.ts";
import { present } from "../../../testing/present.ts";
import type { OpId } from "../../graph/graph.ts";
import type { LayoutId, LayoutIds } from "../../layout/layout_table.ts";
import type { TensorShape } from "../../ops/op_signature.ts";
import type { OpEvaluator } from "../../search/op_evaluator.ts";
import { l1Need } from "../../search/impls.ts";
import { forwardPass } from "./beam.ts";
import type { InputCandidate } from "../combinations.ts";
import { Explorer, readingOf } from "../exploration.ts";
import { inputCandidates, type ProducerOffer } from "../input_candidates.ts";
import type { BeamScoreName } from "../layout_score.ts";
import { OutputVerdicts } from "../output_verdicts.ts";
import type { BeamCandidate, Beams } from "../propagation_observer.ts";
import { type RealStudy, realStudy } from "../testing/real_study.ts";
import { traceBack } from "../trace_back.ts";

const SQUARE: TensorShape = { shape: [1024, 1024], dataType: "bf16" };

/** relu; matmul by a weight; silu; multiply of both activations. */
function block(builder: GraphBuilder): void {
  const weight = builder.argument(SQUARE, { argumentType: "parameter" });
  const head = builder.op("ttnn.relu", [builder.argument(SQUARE)], SQUARE);
  const product = builder.op("ttnn.matmul", [head, weight], SQUARE);
  const gate = builder.op("ttnn.silu", [product], SQUARE);
  builder.return(builder.op("ttnn.multiply", [gate, gate], SQUARE));
}

function beamsOf({ evaluator, roles, l1Budget }: RealStudy, score: BeamScoreName, beamWidth: number): Beams {
  return forwardPass(evaluator, roles, {
    score,
    beamWidth,
    maxInputCandidatesPerOperand: 64,
    maxCombinations: 256,
    l1Budget,
  });
}

/** Operands as buffers: the same value in the same layout is one buffer. */
function buffers(evaluator: OpEvaluator, op: OpId, candidate: BeamCandidate): readonly number[] {
  const seen = new Set<string>();
  return evaluator.op(op).operands.flatMap((value, operand) => {
    const key = `${value}:${candidate.inputs[operand]}`;
    if (seen.has(key)) return [];
    seen.add(key);
    return [operand];
  });
}

Deno.test("the score of a candidate equals a count over its operands, its path and its producers", () => {
  const study = realStudy(block);
  const { evaluator } = study;
  for (const score of ["bottleneck", "direct", "runtime"] as const) {
    const beams = beamsOf(study, score, 4);
    beams.forEach((beam, index) => {
      const op = idOf(index);
      for (const candidate of beam) {
        const inputs = candidate.inputs.map((layout) => evaluator.facts(present(layout)));
        const own = buffers(evaluator, op, candidate);
        assertEquals(
          candidate.score.inputDramBytes,
          inputs.filter(({ isL1 }) => !isL1).reduce((sum, { totalBytes }) => sum + totalBytes, 0),
        );
        assertEquals(candidate.score.shardedInputs, inputs.filter(({ isSharded }) => isSharded).length);
        const reshards = own.filter((operand) => candidate.reshards[operand] === true);
        assertEquals(candidate.score.requiresReshard, reshards.length > 0);
        const producer = candidate.producers.find((one) => one !== undefined);
        const before = producer === undefined ? undefined : beams[producer]?.[candidate.slots[0] ?? -1];
        assertEquals(
          candidate.score.pathReshards,
          before === undefined || beam.length < 1
            ? candidate.score.pathReshards
            : reshards.length + before.score.pathReshards,
        );
        assertEquals(
          candidate.score.pathMinCores,
          Math.min(before?.score.pathMinCores ?? Infinity, candidate.impl.cores),
        );
        const held = own.reduce((sum, operand) => sum + (inputs[operand]?.l1Bytes ?? 0), 0);
        assert(l1Need(held, candidate.impl) <= study.l1Budget);
        const paid = reshards.reduce((sum, operand) => {
          const value = present(evaluator.op(op).operands[operand]);
          const from = producer === undefined || evaluator.producer(value) === undefined
            ? evaluator.declared[value]
            : before?.impl.outputs[0];
          return sum +
            evaluator.reshardMicroseconds(SQUARE, present(from), present(candidate.inputs[operand]));
        }, 0);
        const returned = evaluator.value(present(evaluator.op(op).results[0])).returned > 0
          ? evaluator.reshardMicroseconds(
            SQUARE,
            present(candidate.impl.outputs[0]),
            present(evaluator.declared[present(evaluator.op(op).results[0])]),
          )
          : 0;
        assertAlmostEquals(candidate.microseconds, candidate.impl.microseconds + paid + returned, 1e-6);
      }
    });
  }
});

Deno.test("a beam holds every result once", () => {
  const study = realStudy(block);
  for (const score of ["bottleneck", "runtime"] as const) {
    for (const beam of beamsOf(study, score, 8)) {
      assertEquals(new Set(beam.map(({ impl }) => impl.outputsId)).size, beam.length, score);
    }
  }
});

// tt-mlir:optimizer-document §5.8.1: `fork_op (keeps K candidates: [HS, BS, WS, ...])`.
Deno.test("of every kind of result the best comes before a second one of any kind", () => {
  const study = realStudy((builder) => {
    const fork = builder.op("ttnn.relu", [builder.argument(SQUARE)], SQUARE);
    builder.return(builder.op("ttnn.gelu", [fork], SQUARE), builder.op("ttnn.silu", [fork], SQUARE));
  });
  const kindsOf = (beam: readonly BeamCandidate[]) =>
    beam.map(({ impl }) => study.evaluator.facts(present(impl.outputs[0])).kind);
  for (const score of ["bottleneck", "runtime"] as const) {
    const all = present(beamsOf(study, score, 1000)[0]);
    const kinds = new Set(kindsOf(all));
    for (const kind of ["l1/height_sharded", "l1/width_sharded", "l1/block_sharded", "dram/interleaved"]) {
      assert(kinds.has(kind), `${score} offers ${kind}`);
    }
    for (const width of [1, 2, 3, 4, 8]) {
      const kept = present(beamsOf(study, score, width)[0]);
      assertEquals(new Set(kindsOf(kept)).size, Math.min(width, kinds.size), `${score} ${width}`);
      for (const kind of new Set(kindsOf(kept))) {
        const best = present(all.find((_, slot) => kindsOf(all)[slot] === kind));
        assert(
          kept.some(({ impl }) => impl.outputsId === best.impl.outputsId),
          `${score} keeps the best ${kind}`,
        );
      }
      assertEquals(kept[0]?.impl.outputsId, all[0]?.impl.outputsId, "the best of all is first");
    }
  }
});

Deno.test("an op on fewer cores than its producer is the bottleneck of the path, and stays it", () => {
  // One column of tiles: the reduction has 32 tiles for 64 cores, the product behind it 1024.
  const column: TensorShape = { shape: [1024, 32], dataType: "bf16" };
  const study = realStudy((builder) => {
    const narrow = builder.op("ttnn.mean", [builder.argument(SQUARE)], column, {
      attributes: {
        dim_arg: { kind: "array", elements: [{ kind: "integer", value: 1n, type: "i32" }] },
        keep_dim: { kind: "bool", value: true },
      },
    });
    const weight = builder.argument({ shape: [32, 1024], dataType: "bf16" }, { argumentType: "parameter" });
    builder.return(builder.op("ttnn.matmul", [narrow, weight], SQUARE));
  });
  const beams = beamsOf(study, "bottleneck", 4);
  const narrowest = Math.max(...present(beams[0]).map(({ impl }) => impl.cores));
  assert(narrowest > 0 && narrowest <= 32);
  const best = present(beams[1]?.[0]);
  assertEquals([best.impl.cores, best.score.pathMinCores], [64, narrowest]);
});

Deno.test("no candidate needs more L1 than the budget, however small", () => {
  const study = realStudy(block);
  const beams = beamsOf({ ...study, l1Budget: 100_000 }, "direct", 8);
  beams.forEach((beam, op) => {
    for (const candidate of beam) {
      const held = buffers(study.evaluator, idOf(op), candidate).reduce(
        (sum, operand) => sum + study.evaluator.facts(present(candidate.inputs[operand])).l1Bytes,
        0,
      );
      assert(l1Need(held, candidate.impl) <= 100_000);
    }
  });
  assert(beamsOf(study, "direct", 8).flat().some(({ impl }) => impl.l1PeakBytes > 100_000));
});

/** Candidates of operand 0 of op 0 for some offered layouts. */
function offered(
  study: RealStudy,
  offers: readonly (readonly [layout: LayoutId, priority: number])[],
  limit = 64,
  roles = study.roles,
) {
  const list = offers.map(([layout, priority], slot): ProducerOffer => ({ layout, slot, priority }));
  return inputCandidates(
    study.evaluator,
    roles,
    { op: idOf(0), operand: 0, value: present(study.evaluator.op(idOf(0)).operands[0]) },
    list,
    { priorityOf: (us) => us, limit },
  );
}

Deno.test("an operand in L1 may go to L1 interleaved and DRAM, one in DRAM has shards to go to", () => {
  const study = realStudy((builder) =>
    builder.return(builder.op("ttnn.relu", [builder.argument(SQUARE)], SQUARE))
  );
  const block8 = study.sharded(SQUARE, "block_sharded", 8, 8);
  const [dram, l1] = (["dram", "l1"] as const).map((memory) =>
    study.evaluator.interleaved(SQUARE, block8, memory)
  );
  const layoutsOf = (offers: readonly (readonly [LayoutId, number])[]) =>
    new Set(offered(study, offers).map(({ layout }) => layout));
  const fromShards = layoutsOf([[block8, 0]]);
  assert(dram !== undefined && l1 !== undefined);
  assert(fromShards.has(block8) && fromShards.has(dram) && fromShards.has(l1));
  const fromDram = layoutsOf([[dram, 0]]);
  assert(fromDram.has(dram) && !fromDram.has(l1));
  assert([...fromDram].some((layout) => layout !== undefined && study.evaluator.facts(layout).isSharded));
});

Deno.test("a layout costs its cheapest offer, and no more layouts than the limit are tried", () => {
  const study = realStudy((builder) =>
    builder.return(builder.op("ttnn.relu", [builder.argument(SQUARE)], SQUARE))
  );
  const [block8, height] = [
    study.sharded(SQUARE, "block_sharded", 8, 8),
    study.sharded(SQUARE, "height_sharded", 32, 1),
  ];
  const slotOf = (offers: readonly (readonly [LayoutId, number])[]) =>
    offered(study, offers).find(({ layout }) => layout === block8)?.slot;
  assertEquals(slotOf([[block8, 1000], [height, 0]]), 1, "a copy of the height shards is cheaper");
  assertEquals(slotOf([[block8, 1000], [height, 500], [block8, 5]]), 2);
  const near = offered(study, [[block8, 1], [height, 1000]]).find(({ layout }) => layout === block8);
  assertEquals([near?.slot, near?.isReshard], [0, false]);
  assertEquals(offered(study, [[block8, 0]], 3).length, 3);
});

Deno.test("pinned values are read as they are, constants never resharded", () => {
  const study = realStudy((builder) =>
    builder.return(builder.op("ttnn.relu", [builder.argument(SQUARE)], SQUARE))
  );
  const dram = present(study.evaluator.declared[0]);
  const only = (roles: Partial<RealStudy["roles"]>) =>
    offered(study, [[dram, 0]], 64, { ...study.roles, ...roles }).map(({ layout }) => layout);
  assertEquals(only({ pinned: [true] }), [dram]);
  assertEquals(only({ constantDerived: [true] }), [dram]);
  const block8 = study.sharded(SQUARE, "block_sharded", 8, 8);
  const pinned = offered(study, [[block8, 0]], 64, { ...study.roles, pinned: [true] });
  assertEquals(pinned.map(({ layout }) => layout), [block8]);
});

Deno.test("layouts that an op's filter refuses are not offered; DRAM remains if nothing else does", () => {
  // tt-mlir:op-rules: a reshape that is not a view reads everything except width shards.
  const flat: TensorShape = { shape: [2048, 512], dataType: "bf16" };
  const study = realStudy((builder) =>
    builder.return(builder.op("ttnn.reshape", [builder.argument(SQUARE)], flat))
  );
  const width = study.sharded(SQUARE, "width_sharded", 1, 32);
  const constant = { ...study.roles, constantDerived: [true] };
  const found = offered(study, [[width, 0]], 64, constant).map(({ layout }) => layout);
  assert(!found.includes(width));
  assert(found.includes(study.evaluator.interleaved(SQUARE, width, "dram")));
  assertEquals(offered(study, [[width, 0]], 0, constant).map(({ layout }) => layout), [
    study.evaluator.interleaved(SQUARE, width, "dram"),
  ]);
});

Deno.test("no operand has more shards than its op produces tiles", () => {
  const row: TensorShape = { shape: [1024, 32], dataType: "bf16" };
  const study = realStudy((builder) =>
    builder.return(builder.op("ttnn.mean", [builder.argument(SQUARE)], row, {
      attributes: {
        dim_arg: { kind: "array", elements: [{ kind: "integer", value: 1n, type: "i32" }] },
        keep_dim: { kind: "bool", value: true },
      },
    }))
  );
  const found = offered(study, [[present(study.evaluator.declared[0]), 0]]);
  assert(found.length > 1);
  const volumes = found.map(({ layout }) => study.evaluator.facts(present(layout)).gridVolume);
  assertEquals(Math.max(...volumes), 32, "as many shards as tiles, no more");
});

Deno.test("a result keeps its page layout, and converts to the pinned layout", () => {
  const study = realStudy((builder) =>
    builder.return(builder.op("ttnn.relu", [builder.argument(SQUARE)], SQUARE))
  );
  const { evaluator } = study;
  const [value] = evaluator.op(idOf(0)).results;
  assert(value !== undefined);
  const declared = present(evaluator.declared[value]);
  const mustReach = evaluator.fn.values.map((_, id) => id === value ? declared : undefined);
  const verdictOf = (layout: LayoutId | undefined) =>
    new OutputVerdicts(evaluator, idOf(0), mustReach).of({
      outputs: [layout],
      outputsId: evaluator.outputsId([layout]),
    });
  const block8 = study.sharded(SQUARE, "block_sharded", 8, 8);
  const rows = evaluator.layouts.intern({
    ...evaluator.layouts.get(declared),
    tile: undefined,
    shardShape: [1024, 1024],
  });
  assertEquals(verdictOf(declared), { refusal: undefined, returnMicroseconds: 0 });
  const back = evaluator.reshardMicroseconds(SQUARE, block8, declared);
  assert(back > 0);
  assertEquals(verdictOf(block8), { refusal: undefined, returnMicroseconds: back });
  assertStringIncludes(verdictOf(rows).refusal ?? "", "changes between tiles and row-major pages");
  assertStringIncludes(verdictOf(undefined).refusal ?? "", "is unknown");
});

Deno.test("one operand twice is one copy, two operands in one layout are two", () => {
  const study = realStudy((builder) => {
    const [x, y] = [builder.argument(SQUARE), builder.argument(SQUARE)];
    builder.return(builder.op("ttnn.add", [x, x], SQUARE), builder.op("ttnn.add", [x, y], SQUARE));
  });
  const { evaluator, roles, l1Budget } = study;
  const explorer = new Explorer(evaluator, roles, evaluator.fn.values.map(() => undefined), {
    maxInputCandidatesPerOperand: 64,
    maxCombinations: 256,
    l1Budget,
  }, (us) => us);
  const offers = { id: 0, offers: [{ layout: evaluator.declared[0], slot: -1, priority: 0 }] };
  // The same explorer for both: it shares explorations of ops that ask the same.
  const copies = (op: number) =>
    explorer.explore(idOf(op), [offers, offers]).readings
      .filter(({ reading: { inputs, isReshard } }) => isReshard.every(Boolean) && inputs[0] === inputs[1])
      .map(({ reading }) => reading.reshards);
  assertEquals([new Set(copies(0)), new Set(copies(1))], [new Set([1]), new Set([2])]);
});

Deno.test("two layouts of one operand are two buffers and two copies", () => {
  const study = realStudy((builder) => {
    const x = builder.argument(SQUARE);
    builder.return(builder.op("ttnn.add", [x, x], SQUARE));
  });
  const candidates = study.evaluator.catalog.reshardTargets(SQUARE, present(study.evaluator.declared[0]))
    .slice(0, 2).map((layout): InputCandidate => ({
      layout,
      slot: -1,
      isReshard: true,
      reshardMicroseconds: 3,
      priority: 3,
    }));
  const reading = readingOf(study.evaluator, idOf(0), candidates, 0);
  const bytes = candidates.map(({ layout }) => study.evaluator.facts(present(layout)).l1Bytes);
  assertEquals([reading.reshards, reading.reshardMicroseconds], [2, 6]);
  assertEquals(reading.inputL1Bytes, bytes.reduce((sum, own) => sum + own, 0));
  const [first] = candidates;
  const equivalent = readingOf(study.evaluator, idOf(0), [present(first), present(first)], 0);
  assertEquals([equivalent.reshards, equivalent.reshardMicroseconds, equivalent.inputL1Bytes], [
    1,
    3,
    bytes[0],
  ]);
});

Deno.test("the first combination reads the best slot of every producer, without a reshard", () => {
  const study = realStudy((builder) => {
    const [a, b] = [0, 1].map(() => builder.op("ttnn.relu", [builder.argument(SQUARE)], SQUARE));
    builder.return(
      builder.op("ttnn.gelu", [present(a)], SQUARE),
      builder.op("ttnn.silu", [present(b)], SQUARE),
    );
  });
  for (const score of ["bottleneck", "runtime"] as const) {
    const beams = forwardPass(study.evaluator, study.roles, {
      score,
      beamWidth: 8,
      maxInputCandidatesPerOperand: 64,
      maxCombinations: 1,
      l1Budget: study.l1Budget,
    });
    for (const { slots, reshards } of [...present(beams[2]), ...present(beams[3])]) {
      assertEquals([slots, reshards], [[0], [false]], score);
    }
  }
});

Deno.test("scored by cores, no reshard makes a layout of another slot; scored by time, a layout costs its cheapest slot", () => {
  const study = realStudy((builder) => {
    const head = builder.op("ttnn.relu", [builder.argument(SQUARE)], SQUARE);
    builder.return(builder.op("ttnn.gelu", [head], SQUARE));
  });
  const { evaluator } = study;
  for (const score of ["bottleneck", "runtime"] as const) {
    const [producer, consumer] = beamsOf(study, score, 8);
    for (const { inputs: [layout], slots: [slot], reshards: [isReshard] } of present(consumer)) {
      const had = present(producer).findIndex(({ impl }) => impl.outputs[0] === layout);
      if (score === "bottleneck") {
        if (had >= 0) assertEquals([slot, isReshard], [had, false]);
        continue;
      }
      const costs = present(producer).map(({ impl, score: { pathMicroseconds } }) =>
        pathMicroseconds + evaluator.reshardMicroseconds(SQUARE, present(impl.outputs[0]), present(layout))
      );
      assertAlmostEquals(present(costs[present(slot)]), Math.min(...costs), 1e-5);
    }
  }
});

Deno.test("scored by time, trace-back charges the copy into the signature's layout once", () => {
  const study = realStudy((builder) => {
    const fork = builder.op("ttnn.relu", [builder.argument(SQUARE)], SQUARE);
    builder.return(fork, builder.op("ttnn.gelu", [fork], SQUARE));
  });
  const [dram, block] = [present(study.evaluator.declared[0]), study.sharded(SQUARE, "block_sharded", 8, 8)];
  const like = present(beamsOf(study, "bottleneck", 1)[0]?.[0]);
  const beams: Beams = [
    [candidateOf(study, [dram], [-1], block, 1, like), candidateOf(study, [dram], [-1], dram, 1, like)],
    [candidateOf(study, [block], [0], dram, 1, like)],
  ];
  let costs: readonly number[] = [];
  traceBack(study.evaluator, beams, "runtime", { fork: ({ slotCosts }) => costs = slotCosts });
  assertEquals(costs, [0, study.evaluator.reshardMicroseconds(SQUARE, dram, block)]);
});

/** A candidate that reads and produces given layouts, for hand-made beams. */
function candidateOf(
  { evaluator }: RealStudy,
  inputs: LayoutIds,
  slots: readonly number[],
  output: LayoutId,
  pathMicroseconds: number,
  like: BeamCandidate,
): BeamCandidate {
  return {
    ...like,
    inputs,
    slots,
    impl: { ...like.impl, outputs: [output], outputsId: evaluator.outputsId([output]) },
    score: { ...like.score, pathMicroseconds },
  };
}

Deno.test("trace-back goes from readers to the candidates in their back-pointers", () => {
  const study = realStudy((builder) => {
    const first = builder.op("ttnn.relu", [builder.argument(SQUARE)], SQUARE);
    const second = builder.op("ttnn.gelu", [first], SQUARE);
    builder.return(builder.op("ttnn.silu", [second], SQUARE));
  });
  const [dram, a, b] = [
    present(study.evaluator.declared[0]),
    study.sharded(SQUARE, "block_sharded", 8, 8),
    study.sharded(SQUARE, "height_sharded", 32, 1),
  ];
  const like = beamsOf(study, "bottleneck", 1)[0]?.[0];
  assert(like !== undefined);
  const of = (input: LayoutId, slot: number, output: LayoutId) =>
    candidateOf(study, [input], [slot], output, 1, like);
  const beams: Beams = [
    [of(dram, -1, a), of(dram, -1, b)],
    [of(a, 0, a), of(b, 1, b)],
    [of(b, 1, dram)],
  ];
  const chosen = traceBack(study.evaluator, beams, "bottleneck").map(({ outputs }) => outputs[0]);
  assertEquals(chosen, [b, b, dram]);
});

Deno.test("trace-back charges a copy that two readers share once", () => {
  const study = realStudy((builder) => {
    const fork = builder.op("ttnn.relu", [builder.argument(SQUARE)], SQUARE);
    builder.return(builder.op("ttnn.gelu", [fork], SQUARE), builder.op("ttnn.silu", [fork], SQUARE));
  });
  const [dram, a, b] = [
    present(study.evaluator.declared[0]),
    study.sharded(SQUARE, "block_sharded", 8, 8),
    study.sharded(SQUARE, "height_sharded", 32, 1),
  ];
  const like = beamsOf(study, "bottleneck", 1)[0]?.[0];
  assert(like !== undefined);
  const copy = study.evaluator.reshardMicroseconds(SQUARE, a, b);
  const reader = candidateOf(study, [b], [1], dram, 1, like);
  // Blocks with one shared copy are cheaper than strips, which take one and a half copies longer to produce.
  const beams: Beams = [
    [
      candidateOf(study, [dram], [-1], a, 10, like),
      candidateOf(study, [dram], [-1], b, 10 + 1.5 * copy, like),
    ],
    [reader],
    [reader],
  ];
  assertEquals(traceBack(study.evaluator, beams, "runtime")[0]?.outputs[0], a);
});

Deno.test("trace-back takes the best candidate of an op without readers", () => {
  const study = realStudy((builder) => {
    const unread = builder.argument(SQUARE);
    builder.op("ttnn.relu", [unread], SQUARE);
    builder.return(unread);
  });
  const like = beamsOf(study, "bottleneck", 1)[0]?.[0];
  assert(like !== undefined);
  const [a, b] = [
    study.sharded(SQUARE, "block_sharded", 8, 8),
    study.sharded(SQUARE, "height_sharded", 32, 1),
  ];
  const dram = present(study.evaluator.declared[0]);
  const beams: Beams = [[
    candidateOf(study, [dram], [-1], a, 1, like),
    candidateOf(study, [dram], [-1], b, 2, like),
  ]];
  assertEquals(traceBack(study.evaluator, beams, "bottleneck")[0]?.outputs[0], a);
});

Deno.test("reshards of the whole path count, the producers' included", () => {
  // The argument is width sharded, which a reshape does not read: every way begins with a reshard.
  const flat: TensorShape = { shape: [2048, 512], dataType: "bf16" };
  const lying = realStudy(block);
  const widthSharded = lying.evaluator.layouts.get(lying.sharded(SQUARE, "width_sharded", 1, 32));
  const study = realStudy((builder) => {
    const x = builder.argument(SQUARE, { layout: widthSharded });
    builder.return(builder.op("ttnn.relu", [builder.op("ttnn.reshape", [x], flat)], flat));
  });
  for (const score of ["bottleneck", "runtime"] as const) {
    const beams = beamsOf(study, score, 4);
    for (const candidate of beams[1] ?? []) {
      const before = beams[0]?.[candidate.slots[0] ?? -1]?.score.pathReshards ?? 0;
      assertEquals(before, 1);
      assertEquals(candidate.score.pathReshards, before + candidate.reshards.filter(Boolean).length);
    }
  }
});

Deno.test("a beam by time holds as many candidates as it is wide, each with other results", () => {
  const study = realStudy(block);
  for (const width of [2, 3, 6, 12]) {
    for (const beam of beamsOf(study, "runtime", width).slice(0, 4)) {
      const results = beam.map(({ impl }) => impl.outputsId);
      assertEquals(new Set(results).size, results.length);
      assertEquals(results.length, width);
    }
  }
});
