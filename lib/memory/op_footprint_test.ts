// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { TEST_WORMHOLE } from "../../testing/chips.ts";
import { layoutOf, signatureOf, tensorOf } from "../../testing/op_queries.ts";
import { makeLayout, shardBytes } from "../layout/make_layout.ts";
import { DEFAULT_TILE } from "../layout/ttnn_layout.ts";
import { LayoutTable } from "../layout/layout_table.ts";
import { createOpModel } from "../opmodel/create_op_model.ts";
import type { OpModel } from "../opmodel/op_model.ts";
import { refusalOf } from "../opmodel/verdict.ts";
import { LOAD_CACHED } from "../ops/calls.ts";
import { conversionSignature, l1Events, opFootprint, OTHER_LAYOUTS } from "./op_footprint.ts";

const model = createOpModel({ chip: TEST_WORMHOLE, layouts: new LayoutTable() });
const small = tensorOf([256, 256]);

/** The op model as a plain object, parts of which tests may replace. */
const STATELESS: OpModel = {
  chip: model.chip,
  assumed: model.assumed,
  layouts: model.layouts,
  statistics: model.statistics,
  traits: (...question) => model.traits(...question),
  queryOpConstraints: (...question) => model.queryOpConstraints(...question),
  programs: (...question) => model.programs(...question),
  reshardPrograms: (...question) => model.reshardPrograms(...question),
  outputHints: (...question) => model.outputHints(...question),
  acceptsInput: (...question) => model.acceptsInput(...question),
  operandAsRead: (...question) => model.operandAsRead(...question),
  exploresReshards: (...question) => model.exploresReshards(...question),
};

Deno.test("opFootprint() of an op as the op model makes it has its buffers and the bytes of its results", () => {
  const op = signatureOf("ttnn.relu", [small], [small]);
  const [dram, l1] = [layoutOf(model, small, "dram"), layoutOf(model, small, "hs 8x1")];
  const footprint = opFootprint(model, op, [dram], [l1], undefined);
  assertEquals(footprint.refusal, undefined);
  assertEquals(footprint.resultBytes, [shardBytes(model.layouts.get(l1))]);
  assert(footprint.circularBufferBytes > 0);
  assertEquals(footprint.ownPeakBytes, footprint.circularBufferBytes + shardBytes(model.layouts.get(l1)));
  assertEquals(opFootprint(model, op, [dram], [dram], undefined).resultBytes, [0]);
});

Deno.test("opFootprint() refuses an op whose result has no layout here, but has one as the op makes it", () => {
  const op = signatureOf("ttnn.relu", [small], [small]);
  const { refusal } = opFootprint(model, op, [layoutOf(model, small, "dram")], [undefined], undefined);
  assertEquals(refusal?.rule, OTHER_LAYOUTS);
});

Deno.test("opFootprint() sizes candidates refused for memory alone, with the refusal", () => {
  const large = tensorOf([16384, 16384]);
  const op = signatureOf("ttnn.relu", [large], [large]);
  const [dram, l1] = [layoutOf(model, large, "dram"), layoutOf(model, large, "l1")];
  const footprint = opFootprint(model, op, [dram], [l1], undefined);
  assertEquals(footprint.refusal?.failure, "out_of_memory");
  assert(footprint.circularBufferBytes > 0);
  assertEquals(footprint.ownPeakBytes, footprint.circularBufferBytes + (footprint.resultBytes[0] ?? 0));
  assert(footprint.ownPeakBytes > TEST_WORMHOLE.l1Size);
});

Deno.test("opFootprint() places the buffers of one core, although the trace sums groups of cores and refuses the sum", () => {
  const logits = { shape: [32, 262_208], dataType: "f32" } as const;
  const [rows, tiles] = [null, DEFAULT_TILE].map((tile) =>
    model.layouts.intern(
      makeLayout(
        { ...logits, tile, bufferType: "dram", memoryLayout: "interleaved" },
        TEST_WORMHOLE.workerGrid,
      ),
    )
  );
  const op = signatureOf("ttnn.to_layout", [logits], [logits]);
  const { refusal, circularBufferBytes, largestCircularBuffers, ownPeakBytes } = opFootprint(
    model,
    op,
    [rows],
    [tiles],
    undefined,
  );
  assertEquals(refusal?.failure, "out_of_memory");
  // 62 blocks of 131 tiles and a partial one of 72, in and out, and a scratchpad for a row of elements of each.
  const buffers = 2 * 131 * 4096;
  const onCore = buffers + 131 * 32 * 4 + 2 * TEST_WORMHOLE.dramAlignment;
  assertEquals([circularBufferBytes, largestCircularBuffers, ownPeakBytes], [onCore, buffers, onCore]);
});

Deno.test("opFootprint() has no buffers for oversized ops with unknown programs", () => {
  const large = tensorOf([16384, 16384]);
  const op = signatureOf("ttnn.relu", [large], [large]);
  const l1 = layoutOf(model, large, "l1");
  const unknown = refusalOf("not_implemented", "programs/unknown", "what it launches is not known", "test");
  const footprint = opFootprint(
    {
      ...STATELESS,
      queryOpConstraints: (op, inputs, hint, config, extraL1Bytes) =>
        extraL1Bytes === -Infinity
          ? unknown
          : model.queryOpConstraints(op, inputs, hint, config, extraL1Bytes),
    },
    op,
    [l1],
    [l1],
    undefined,
  );
  assertEquals(footprint.refusal?.failure, "not_implemented");
  assertEquals([footprint.circularBufferBytes, footprint.events], [0, undefined]);
  assertEquals(footprint.ownPeakBytes, Infinity);
});

Deno.test("opFootprint() does not take an answer for other results than the planned ones", () => {
  const op = signatureOf("ttnn.relu", [small], [small, small]);
  const dram = layoutOf(model, small, "dram");
  // The op model knows one result; a plan with two is for another op.
  assert(opFootprint(model, op, [dram], [dram, dram], undefined).refusal !== undefined);
});

Deno.test("opFootprint() counts intermediates of an op apart from its results", () => {
  // A bias that is not a row is added by a separate program, after the product.
  const [a, b] = [tensorOf([64, 64]), tensorOf([64, 64])];
  const op = signatureOf("ttnn.linear", [a, b, tensorOf([64, 64])], [a]);
  const dram = layoutOf(model, a, "dram");
  const l1 = layoutOf(model, a, "l1");
  const footprint = opFootprint(model, op, [dram, dram, dram], [l1], undefined);
  assertEquals(footprint.refusal, undefined);
  assertEquals(footprint.resultBytes, [shardBytes(model.layouts.get(l1))]);
  const intermediates = footprint.events?.flatMap((event) =>
    event.kind === "allocate" && event.result === undefined ? [event.bytes] : []
  );
  assertEquals(intermediates, [shardBytes(model.layouts.get(l1))]);
});

Deno.test("opFootprint() leaves results of loaded constants to const-eval", () => {
  const op = signatureOf(LOAD_CACHED, [], [small]);
  const footprint = opFootprint(model, op, [], [layoutOf(model, small, "l1")], undefined);
  assertEquals([footprint.resultBytes, footprint.refusal], [[0], undefined]);
});

Deno.test("conversionSignature() names the op that a conversion is written as", () => {
  const layout = (text: string) => model.layouts.get(layoutOf(model, small, text));
  const nameOf = (...question: Parameters<typeof conversionSignature>) =>
    conversionSignature(...question).name;
  assertEquals(nameOf(small, layout("dram"), layout("l1"), TEST_WORMHOLE), "ttnn.to_memory_config");
  assertEquals(nameOf(small, layout("dram"), layout("dram-rm"), TEST_WORMHOLE), "ttnn.to_layout");
  assertEquals(nameOf(undefined, layout("dram"), layout("dram-rm"), TEST_WORMHOLE), "ttnn.to_memory_config");
  assertEquals(nameOf(small, undefined, layout("dram-rm"), TEST_WORMHOLE), "ttnn.to_memory_config");
});

Deno.test("l1Events() of an op that allocates its results and then runs are left out, all others told in order", () => {
  const [dram, l1] = [layoutOf(model, small, "dram"), layoutOf(model, small, "hs 8x1")];
  const answer = model.queryOpConstraints(signatureOf("ttnn.relu", [small], [small]), [dram], l1, undefined);
  assert(answer.status === "valid");
  const bytes = [shardBytes(model.layouts.get(l1))];
  const kindsOf = (events: typeof answer.events) =>
    l1Events({ ...answer, events }, bytes)?.map(({ kind }) => kind);
  const [allocate, run] = answer.events;
  assert(allocate?.kind === "allocate" && run?.kind === "run");
  const intermediate = { ...allocate, allocated: { ...allocate.allocated, result: undefined } };
  assertEquals(kindsOf([allocate, run]), undefined);
  assertEquals(kindsOf([run, allocate]), ["run", "allocate"]);
  assertEquals(kindsOf([intermediate, run]), ["allocate", "run"]);
  assertEquals(kindsOf([allocate, run, { kind: "free", tensor: allocate.tensor }]), [
    "allocate",
    "run",
    "free",
  ]);
});
