// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { TEST_WORMHOLE, testChipWithGrid } from "../../testing/chips.ts";
import {
  integerAttribute,
  integersAttribute,
  layoutOf,
  signatureOf,
  tensorOf,
} from "../../testing/op_queries.ts";
import { LayoutTable } from "../layout/layout_table.ts";
import { createOpModel } from "./create_op_model.ts";
import type { OpConstraints, OpModel } from "./op_model.ts";

function model(): OpModel {
  return createOpModel({ chip: TEST_WORMHOLE, layouts: new LayoutTable() });
}

function ruleOf(answer: OpConstraints): string {
  assert(answer.status === "invalid");
  return answer.rule;
}

const type = tensorOf([64, 64]);

Deno.test("queryOpConstraints() takes an unknown op as the input has it and never moves it", () => {
  const opModel = model();
  const op = signatureOf("ttnn.something_new", [type, undefined], [type]);
  const dram = layoutOf(opModel, type, "dram");
  const traits = opModel.traits(op);
  assertEquals([traits.isOpaque, traits.movable, traits.costClass], [true, false, "opaque"]);
  const answer = opModel.queryOpConstraints(op, [dram, undefined], dram, undefined);
  assert(answer.status === "valid");
  assertEquals(answer.outputLayouts, [dram]);
  assertEquals(answer.cbPeakBytes, 0);
});

Deno.test("queryOpConstraints() refuses operands that no op can take, with a rule", () => {
  const opModel = model();
  const dram = layoutOf(opModel, type, "dram");
  const relu = signatureOf("ttnn.relu", [type], [type]);
  assertEquals(ruleOf(opModel.queryOpConstraints(relu, [], dram, undefined)), "operand/count");
  assertEquals(ruleOf(opModel.queryOpConstraints(relu, [undefined], dram, undefined)), "operand/no-layout");
  const noOperand = signatureOf("ttnn.relu", [undefined], [type]);
  assertEquals(
    ruleOf(opModel.queryOpConstraints(noOperand, [undefined], dram, undefined)),
    "operand/missing",
  );
  const host = layoutOf(opModel, type, "host");
  assertEquals(ruleOf(opModel.queryOpConstraints(relu, [host], dram, undefined)), "operand/host");
  const noResult = signatureOf("ttnn.relu", [type], []);
  assertEquals(ruleOf(opModel.queryOpConstraints(noResult, [dram], dram, undefined)), "result/missing");
});

Deno.test("queryOpConstraints() refuses layouts beyond the device or of another rank", () => {
  const wide = createOpModel({ chip: TEST_WORMHOLE, layouts: new LayoutTable() });
  const big = tensorOf([2048, 64]);
  const layouts = wide.layouts;
  const tall = layoutOf(wide, big, "hs 64x1");
  const narrow = createOpModel({ chip: testChipWithGrid(5, 1), layouts });
  const relu = signatureOf("ttnn.relu", [big], [big]);
  assertEquals(ruleOf(narrow.queryOpConstraints(relu, [tall], undefined, undefined)), "layout/grid");
  const layout = layouts.get(tall);
  const flat = layouts.intern({ ...layout, gridShape: [64], shardShape: [1] });
  assertEquals(ruleOf(wide.queryOpConstraints(relu, [flat], undefined, undefined)), "layout/rank");
  const short = layouts.intern({ ...layout, shardShape: [0, 2] });
  assertEquals(
    ruleOf(wide.queryOpConstraints(relu, [short], undefined, undefined)),
    "operand/shard-does-not-fit",
  );
});

Deno.test("queryOpConstraints() refuses missing and impossible attributes", () => {
  const opModel = model();
  const dram = layoutOf(opModel, type, "dram");
  const ask = (name: string, attributes = {}) =>
    ruleOf(
      opModel.queryOpConstraints(signatureOf(name, [type], [type], attributes), [dram], dram, undefined),
    );
  assertEquals(ask("ttnn.permute"), "op/attributes");
  assertEquals(ask("ttnn.permute", { permutation: integersAttribute([0, 0]) }), "permute/permutation");
  assertEquals(ask("ttnn.sum", { dim_arg: integersAttribute([1, 2]) }), "reduction/dimension");
  assertEquals(ask("ttnn.max_pool2d"), "op/attributes");
  const reshape = signatureOf("ttnn.reshape", [type], [tensorOf([64, 65])]);
  assertEquals(ruleOf(opModel.queryOpConstraints(reshape, [dram], dram, undefined)), "reshape/volume");
  const add = signatureOf("ttnn.add", [type, tensorOf([2048, 2048])], [type]);
  const other = layoutOf(opModel, tensorOf([2048, 2048]), "dram");
  assertEquals(ruleOf(opModel.queryOpConstraints(add, [dram, other], dram, undefined)), "eltwise/broadcast");
});

Deno.test("a scatter gives the pages of its input", () => {
  const opModel = model();
  const indices = tensorOf([64, 64], "si32");
  for (const pages of ["dram", "dram-rm"]) {
    const layout = layoutOf(opModel, type, pages);
    const scatter = signatureOf("ttnn.scatter", [type, indices, type], [type], { dim: integerAttribute(0) });
    const operands = [layout, layoutOf(opModel, indices, pages), layout];
    const answer = opModel.queryOpConstraints(scatter, operands, undefined, undefined);
    assert(answer.status === "valid");
    assertEquals(answer.outputLayouts, [layout]);
  }
});

Deno.test("queryOpConstraints() refuses impossible layouts, and too many operands", () => {
  const opModel = model();
  const big = tensorOf([2048, 2048]);
  const relu = signatureOf("ttnn.relu", [big], [big]);
  const dram = layoutOf(opModel, big, "dram");
  const block = opModel.layouts.get(layoutOf(opModel, big, "bs 8x8"));
  const ask = (layout: Partial<typeof block>) =>
    ruleOf(
      opModel.queryOpConstraints(
        relu,
        [opModel.layouts.intern({ ...block, ...layout })],
        undefined,
        undefined,
      ),
    );
  assertEquals(ask({ tile: undefined, dataType: "bfp_bf8" }), "layout/format");
  assertEquals(ask({ bufferType: "dram" }), "layout/dram-block-sharded");
  const cores = (x: number, y: number) => [{ start: { x: 0, y: 0 }, end: { x, y } }];
  assertEquals(ask({ coreRanges: cores(8, 7) }), "layout/grid");
  assertEquals(ask({ coreRanges: cores(7, 8) }), "layout/grid");
  assertEquals(ask({ coreRanges: cores(7, 6) }), "layout/grid");
  const many = signatureOf("ttnn.relu", [big, big, big, big, big, big], [big]);
  assertEquals(
    ruleOf(opModel.queryOpConstraints(many, many.operands.map(() => dram), dram, undefined)),
    "operand/count",
  );
  const missing = opModel.queryOpConstraints(
    signatureOf("ttnn.where", [big, undefined, big], [big]),
    [dram, undefined, dram],
    dram,
    undefined,
  );
  assertEquals(
    missing.status === "invalid" && missing.message,
    "ttnn.where: needs 3 tensor operands and has 2",
  );
  const none = signatureOf("ttnn.where", [big, undefined, undefined], [big]);
  assertEquals(
    ruleOf(opModel.queryOpConstraints(none, [dram, undefined, undefined], dram, undefined)),
    "operand/missing",
  );
  assertEquals(ruleOf(opModel.queryOpConstraints(relu, [dram, dram], dram, undefined)), "operand/count");
});

Deno.test("a matmul takes equal batches or one of them: as many of other extents are others", () => {
  const opModel = model();
  const statusOf = (a: readonly number[], b: readonly number[], product: readonly number[]): string => {
    const types = [tensorOf([...a, 64, 32]), tensorOf([...b, 32, 64])];
    const result = tensorOf([...product, 64, 64]);
    const inputs = types.map((each) => layoutOf(opModel, each, "dram"));
    const op = signatureOf("ttnn.matmul", types, [result]);
    const answer = opModel.queryOpConstraints(op, inputs, layoutOf(opModel, result, "dram"), undefined);
    return answer.status === "valid" ? "valid" : answer.rule;
  };
  assertEquals(statusOf([2, 3], [2, 3], [2, 3]), "valid");
  assertEquals(statusOf([2, 3], [1, 1], [2, 3]), "valid");
  assertEquals(statusOf([1, 6], [6], [1, 6]), "matmul/batch-rank");
  assertEquals(statusOf([2, 3], [2, 1], [2, 3]), "matmul/batch");
  assertEquals(statusOf([2, 1], [1, 2], [2, 2]), "matmul/batch");
});
