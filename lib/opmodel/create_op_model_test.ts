// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertNotStrictEquals } from "@std/assert";
import {
  integerAttribute,
  integersAttribute,
  layoutOf,
  signatureOf,
  tensorOf,
} from "../../testing/op_queries.ts";
import { TEST_WORMHOLE } from "../../testing/chips.ts";
import { type LayoutId, LayoutTable } from "../layout/layout_table.ts";
import { createOpModel } from "./create_op_model.ts";
import { FEW_OPERANDS, type ValidConstraints } from "./op_model.ts";
import type { OpConstraints } from "./op_model.ts";

function model() {
  return createOpModel({ chip: TEST_WORMHOLE, layouts: new LayoutTable() });
}

function valid(answer: OpConstraints): ValidConstraints {
  assert(answer.status === "valid", answer.status === "invalid" ? answer.message : "");
  return answer;
}

Deno.test("queryOpConstraints() sizes a binary op when everything is in L1", () => {
  const opModel = model();
  const type = tensorOf([64, 1024]);
  const l1 = layoutOf(opModel, type, "l1");
  const op = signatureOf("ttnn.add", [type, type], [type]);
  const answer = valid(opModel.queryOpConstraints(op, [l1, l1], l1, undefined));
  assertEquals(answer.cbPeakBytes, 12_288);
  assertEquals(answer.tensorL1PeakBytes, 2048);
  assertEquals(answer.l1PeakBytes, 14_336);
  assertEquals(answer.outputLayouts, [l1]);
  assertEquals(answer.events, [
    { kind: "allocate", tensor: 0, allocated: { memory: "l1", bytesPerBank: 2048, result: 0 } },
    { kind: "run", program: 0 },
  ]);
});

Deno.test("queryOpConstraints() needs no circular buffers when a unary op runs on even shards", () => {
  const opModel = model();
  const type = tensorOf([28672, 32]);
  const sharded = layoutOf(opModel, type, "hs 64x1");
  const op = signatureOf("ttnn.relu", [type], [type]);
  const answer = valid(opModel.queryOpConstraints(op, [sharded], sharded, undefined));
  assertEquals([answer.cbPeakBytes, answer.tensorL1PeakBytes, answer.cores], [0, 28_672, 64]);
});

Deno.test("queryOpConstraints() derives the 2D multicast program of a large matmul", () => {
  const opModel = model();
  const type = tensorOf([2048, 2048]);
  const dram = layoutOf(opModel, type, "dram");
  const l1 = layoutOf(opModel, type, "l1");
  const op = signatureOf("ttnn.matmul", [type, type], [type]);
  assertEquals(valid(opModel.queryOpConstraints(op, [dram, dram], dram, undefined)).cbPeakBytes, 655_360);
  assertEquals(valid(opModel.queryOpConstraints(op, [l1, dram], l1, undefined)).cbPeakBytes, 786_432);
});

Deno.test("queryOpConstraints() refuses when the peak and other live tensors exceed usable L1", () => {
  const opModel = model();
  const type = tensorOf([64, 1024]);
  const l1 = layoutOf(opModel, type, "l1");
  const op = signatureOf("ttnn.relu", [type], [type]);
  const usable = Math.floor(Math.fround(0.95) * (1_499_136 - 105_824));
  const fits = opModel.queryOpConstraints(op, [l1], l1, undefined, usable - 10_240);
  const tooMuch = opModel.queryOpConstraints(op, [l1], l1, undefined, usable - 10_239);
  assertEquals(fits.status, "valid");
  assertEquals(tooMuch.status === "invalid" ? tooMuch.failure : "", "out_of_memory");
  assertEquals(opModel.statistics, { queries: 2, hits: 1, firstAsked: 1, furtherOperands: 0 });
});

Deno.test("forgetAnswers() recomputes every answer, equally", () => {
  const opModel = model();
  const type = tensorOf([64, 1024]);
  const l1 = layoutOf(opModel, type, "l1");
  const op = signatureOf("ttnn.relu", [type], [type]);
  const before = opModel.queryOpConstraints(op, [l1], l1, undefined);
  opModel.forgetAnswers?.();
  const after = opModel.queryOpConstraints(op, [l1], l1, undefined);
  assertEquals(after, before);
  assertNotStrictEquals(after, before);
  assertEquals(opModel.statistics, { queries: 2, hits: 0, firstAsked: 2, furtherOperands: 0 });
});

Deno.test("queryOpConstraints() keeps no refusals of joins of many operands, and answers them alike", () => {
  for (const [count, hits] of [[32, 1], [33, 0]] as const) {
    const opModel = model();
    const type = tensorOf([64, 64]);
    const [dram, l1] = [layoutOf(opModel, type, "dram"), layoutOf(opModel, type, "l1")];
    const op = signatureOf("ttnn.concat", Array.from({ length: count }, () => type), [
      tensorOf([64 * count, 64]),
    ], {
      dim: integerAttribute(0),
    });
    const mixed = op.operands.map((_, operand) => operand === 1 ? layoutOf(opModel, type, "hs 2x1") : dram);
    const ask = () => opModel.queryOpConstraints(op, mixed, l1, undefined);
    const first = ask();
    assertEquals(first.status, "invalid");
    assertEquals(ask(), first);
    const furtherOperands = (2 - hits) * (count - FEW_OPERANDS);
    assertEquals(opModel.statistics, { queries: 2, hits, firstAsked: 2 - hits, furtherOperands });
  }
});

Deno.test("queryOpConstraints() sizes tensors larger than L1 if no budget is given", () => {
  const opModel = model();
  const type = tensorOf([8192, 8192]);
  const l1 = layoutOf(opModel, type, "l1");
  const dram = layoutOf(opModel, type, "dram");
  const op = signatureOf("ttnn.relu", [type], [type]);
  const ask = (extra?: number) => opModel.queryOpConstraints(op, [dram], l1, undefined, extra);
  const refused = ask();
  const whole = valid(ask(Number.NEGATIVE_INFINITY));
  assertEquals(whole.cores, 64);
  assert(whole.cbPeakBytes > 0);
  assertEquals(whole.l1PeakBytes, whole.tensorL1PeakBytes + whole.cbPeakBytes);
  for (const answer of [refused, ask()]) {
    assert(answer.status === "invalid");
    assertEquals([answer.failure, answer.rule], ["out_of_memory", "l1/budget"]);
    assert(
      answer.message.startsWith(`ttnn.relu needs ${whole.l1PeakBytes} bytes of L1 per core`),
      answer.message,
    );
  }
});

Deno.test("an op that overwrites a cache launches programs, a view launches none", () => {
  const opModel = model();
  const cache = tensorOf([1, 8, 128, 64]);
  const fresh = tensorOf([1, 8, 32, 64]);
  const inDram = (tensor: ReturnType<typeof tensorOf>) => layoutOf(opModel, tensor, "dram");
  const fill = signatureOf("ttnn.fill_cache", [cache, fresh], []);
  const filled = opModel.programs(fill, [inDram(cache), inDram(fresh)], [], undefined);
  assert(filled.status === "known" && filled.programs.length === 1);
  const flat = tensorOf([8, 128, 64]);
  const view = signatureOf("ttnn.reshape", [cache], [flat]);
  const viewed = opModel.programs(view, [inDram(cache)], [inDram(flat)], undefined);
  assertEquals(viewed, { status: "known", programs: [] });
});

Deno.test("queryOpConstraints() applies the cap and reserved bytes, and allows usable L1 up to the last byte", () => {
  const type = tensorOf([64, 1024]);
  const op = signatureOf("ttnn.relu", [type], [type]);
  for (const [usableL1Cap, reservedL1Bytes] of [[0.95, 0], [0.5, 0], [0.95, 4096], [1, 100]] as const) {
    const opModel = createOpModel({
      chip: TEST_WORMHOLE,
      layouts: new LayoutTable(),
      usableL1Cap,
      reservedL1Bytes,
    });
    const l1 = layoutOf(opModel, type, "l1");
    const usable = Math.floor(Math.fround(usableL1Cap) * (1_499_136 - 105_824)) - reservedL1Bytes;
    const statusOf = (extra: number) => opModel.queryOpConstraints(op, [l1], l1, undefined, extra).status;
    assertEquals([statusOf(usable - 10_240), statusOf(usable - 10_239)], ["valid", "invalid"]);
  }
});

Deno.test("queryOpConstraints() never answers one question with the answer to another", () => {
  const opModel = model();
  const type = tensorOf([1024, 1024]);
  const [dram, l1, block] = ["dram", "l1", "bs 8x8"].map((name) => layoutOf(opModel, type, name));
  const relu = signatureOf("ttnn.relu", [type], [type]);
  const outputOf = (hint: LayoutId | undefined) =>
    valid(opModel.queryOpConstraints(relu, [dram], hint, undefined)).outputLayouts[0];
  assertEquals([outputOf(dram), outputOf(l1), outputOf(block), outputOf(undefined)], [dram, l1, block, dram]);
  const matmul = signatureOf("ttnn.matmul", [type, type], [type]);
  const withStep = (in0BlockW: number) => {
    const programConfig = {
      kind: "matmul_multi_core_reuse_multi_cast",
      computeWithStorageGridSize: [8, 8],
      in0BlockW,
      outSubblockH: 1,
      outSubblockW: 4,
      outBlockH: 4,
      outBlockW: 4,
      perCoreM: 4,
      perCoreN: 4,
      transposeMcast: false,
      fuseBatch: true,
    } as const;
    return valid(opModel.queryOpConstraints(matmul, [dram, dram], block, { kind: "matmul", programConfig }));
  };
  assert(withStep(1).cbPeakBytes < withStep(2).cbPeakBytes);
});

Deno.test("queryOpConstraints() pads tiles behind only, rows on both sides", () => {
  const opModel = model();
  const [type, grown] = [tensorOf([64, 1024]), tensorOf([64, 1088])];
  const answer = (layout: string, padding: readonly number[]) => {
    const op = signatureOf("ttnn.pad", [type], [grown], { padding: integersAttribute(padding) });
    const input = layoutOf(opModel, type, layout);
    return opModel.queryOpConstraints(op, [input], layoutOf(opModel, grown, layout), undefined);
  };
  assertEquals(answer("dram", [0, 0, 0, 64]).status, "valid");
  assertEquals(answer("dram-rm", [0, 0, 64, 0]).status, "valid");
  const refused = answer("dram", [0, 0, 64, 0]);
  assertEquals(refused.status === "invalid" ? refused.rule : "", "pad/front-of-tiles");
});

Deno.test("counts of first queries do not depend on the cache's contents", () => {
  const opModel = model();
  const type = tensorOf([64, 1024]);
  const [dram, l1] = [layoutOf(opModel, type, "dram"), layoutOf(opModel, type, "l1")];
  const op = signatureOf("ttnn.relu", [type], [type]);
  const ask = () => {
    opModel.countAnew?.();
    const before = opModel.statistics.firstAsked;
    for (const hint of [dram, l1, dram]) opModel.queryOpConstraints(op, [dram], hint, undefined);
    return opModel.statistics.firstAsked - before;
  };
  assertEquals([ask(), ask()], [2, 2]);
  assertEquals(opModel.statistics.hits, 4);
});

Deno.test("programs() of what the rules refuse are unknown, for a dimension that the operand lacks too", () => {
  const opModel = model();
  const type = tensorOf([64, 64]);
  const dram = layoutOf(opModel, type, "dram");
  for (const name of ["ttnn.prod", "ttnn.sum", "ttnn.softmax", "ttnn.gather"]) {
    const properties = {
      dim_arg: integerAttribute(7),
      dim: integerAttribute(7),
      dimension: integerAttribute(7),
    };
    const op = signatureOf(name, [type, type].slice(0, name === "ttnn.gather" ? 2 : 1), [type], properties);
    opModel.programs(op, op.operands.map(() => dram), [dram], undefined);
  }
});
