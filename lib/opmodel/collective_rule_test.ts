// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { TEST_WORMHOLE } from "../../testing/chips.ts";
import {
  integerAttribute,
  integersAttribute,
  layoutOf,
  signatureOf,
  tensorOf,
} from "../../testing/op_queries.ts";
import type { Topology } from "../device/mesh.ts";
import type { AttributeMap } from "../ir/attribute.ts";
import { describeLayout } from "../layout/describe.ts";
import { LayoutTable } from "../layout/layout_table.ts";
import { createOpModel } from "./create_op_model.ts";
import type { OpModel } from "./op_model.ts";
import type { OpConstraints } from "./op_model.ts";

const PART = tensorOf([256, 512]);
const WHOLE = tensorOf([256, 2048]);
const AXIS: AttributeMap = new Map([
  ["cluster_axis", { kind: "integer", value: 0n, type: "ui32" }],
  ["all_gather_dim", integerAttribute(-1)],
  ["scatter_dim", integerAttribute(-1)],
]);

function modelOf(topology: Topology): OpModel {
  const mesh = [{ chips: 4, links: 1, topology }];
  return createOpModel({ chip: TEST_WORMHOLE, layouts: new LayoutTable(), mesh });
}

const SHAPES = {
  all_gather: [PART, WHOLE],
  reduce_scatter: [WHOLE, PART],
  all_reduce: [PART, PART],
} as const;

function ask(
  model: OpModel,
  name: keyof typeof SHAPES,
  from: string,
  to: string | undefined,
): OpConstraints {
  const [input, output] = SHAPES[name];
  const hint = to === undefined ? undefined : layoutOf(model, output, to);
  return model.queryOpConstraints(
    { ...signatureOf(`ttnn.${name}`, [input], [output]), attributes: AXIS },
    [layoutOf(model, input, from)],
    hint,
    undefined,
  );
}

function ruleOf(answer: OpConstraints): string {
  return answer.status === "valid" ? "" : answer.rule;
}

Deno.test("collectives take operands and produce results in any requested memory", () => {
  const model = modelOf("linear");
  for (const name of ["all_gather", "reduce_scatter", "all_reduce"] as const) {
    for (const from of ["dram", "l1"]) {
      for (const to of ["dram", "l1", undefined]) {
        const answer = ask(model, name, from, to);
        assert(answer.status === "valid", `${name} ${from} ${to}: ${ruleOf(answer)}`);
        const [output] = answer.outputLayouts;
        assert(output !== undefined);
        // Without a hint the result is in the operand's memory.
        assertEquals(model.layouts.get(output).bufferType, to ?? from);
        assert(answer.cbPeakBytes > 0);
      }
    }
  }
});

Deno.test("shards are gathered and scattered in L1; a sum over chips is of interleaved tensors", () => {
  const model = modelOf("ring");
  assertEquals(ruleOf(ask(model, "all_gather", "ws 1x16", "ws 1x16")), "");
  assertEquals(ruleOf(ask(model, "reduce_scatter", "bs 8x8", "hs 8x1")), "");
  assertEquals(ruleOf(ask(model, "all_gather", "hs 8x1", undefined)), "");
  assertEquals(ruleOf(ask(model, "all_reduce", "ws 1x16", "dram")), "collective/sharded");
  assertEquals(ruleOf(ask(model, "all_reduce", "dram", "hs 8x1")), "collective/sharded");
});

Deno.test("partial sums on their way lie in DRAM; four semaphores take L1 on every core", () => {
  const tensors = (topology: Topology, to: string): number => {
    const answer = ask(modelOf(topology), "reduce_scatter", "dram", to);
    assert(answer.status === "valid");
    return answer.tensorL1PeakBytes;
  };
  // 8 x 16 tiles of the result on 64 cores, and semaphores of an aligned word, as ttnn 0.81.1 allocates on an n300.
  const semaphores = 4 * TEST_WORMHOLE.l1Alignment;
  assertEquals(tensors("ring", "l1"), 2 * 2048 + semaphores);
  assertEquals(tensors("linear", "l1"), 2 * 2048 + semaphores);
  assertEquals(tensors("linear", "dram"), semaphores);
});

Deno.test("policies are offered results in L1 and in DRAM", () => {
  const model = modelOf("linear");
  const legal = ["dram", "l1", "ws 1x16"].map((text) => layoutOf(model, PART, text));
  const { primary, fallback } = model.outputHints(signatureOf("ttnn.all_reduce", [PART], [PART]), legal);
  assertEquals([...primary, ...fallback].map(({ layout }) => layout), legal.slice(0, 2));
});

Deno.test("shards are offered for gathers and scatters as well", () => {
  const model = modelOf("linear");
  const legal = ["dram", "l1", "ws 1x16", "hs 8x1"].map((text) => layoutOf(model, PART, text));
  for (const name of ["ttnn.all_gather", "ttnn.reduce_scatter"]) {
    const { primary, fallback } = model.outputHints(signatureOf(name, [WHOLE], [PART]), legal);
    assertEquals([...primary, ...fallback].map(({ layout }) => layout), legal, name);
  }
});

Deno.test("rows are exchanged whatever their length; only unequal parts of them must be aligned", () => {
  const model = modelOf("linear");
  const rows = (name: string, from: readonly number[], to: readonly number[]) => {
    const [input, output] = [tensorOf(from), tensorOf(to)];
    const op = { ...signatureOf(`ttnn.${name}`, [input], [output]), attributes: AXIS };
    return ruleOf(
      model.queryOpConstraints(
        op,
        [layoutOf(model, input, "dram-rm")],
        layoutOf(model, output, "dram-rm"),
        undefined,
      ),
    );
  };
  assertEquals(rows("all_gather", [64, 5], [64, 20]), "");
  assertEquals(rows("reduce_scatter", [64, 4004], [64, 1001]), "");
  assertEquals(rows("reduce_scatter", [64, 1001], [64, 250]), "collective/page");
});

Deno.test("parts that are broadcast are joined in DRAM, wherever the result is asked for, or moved into shards", () => {
  const model = modelOf("linear");
  const gathered = (width: number, hint: string) => {
    const [input, output] = [tensorOf([64, width]), tensorOf([64, 4 * width])];
    const op = { ...signatureOf("ttnn.all_gather", [input], [output]), attributes: AXIS };
    const answer = model.queryOpConstraints(
      op,
      [layoutOf(model, input, "l1")],
      layoutOf(model, output, hint),
      undefined,
    );
    return answer.status === "valid"
      ? answer.outputLayouts.map((id) => id === undefined ? "" : describeLayout(model.layouts.get(id)))
      : answer.rule;
  };
  assertEquals(gathered(64, "l1"), ["l1/interleaved"]);
  assertEquals(gathered(40, "l1"), ["dram/interleaved"]);
  assertEquals(gathered(40, "ws 1x5"), ["l1/width_sharded/1x5"]);
});

Deno.test("products fused with an exchange take tiles, interleaved on both sides", () => {
  const model = modelOf("linear");
  // A chip holds a quarter of the inner dimension.
  const [input, weight, output] = [tensorOf([256, 512]), tensorOf([2048, 256]), tensorOf([256, 256])];
  const op = {
    ...signatureOf("ttnn.all_gather_minimal_matmul_async", [input, weight], [output]),
    attributes: AXIS,
  };
  const rule = (from: string, weights: string | undefined, to: string): string =>
    ruleOf(
      model.queryOpConstraints(
        op,
        [layoutOf(model, input, from), weights === undefined ? undefined : layoutOf(model, weight, weights)],
        layoutOf(model, output, to),
        undefined,
      ),
    );
  for (const memory of ["dram", "l1"]) assertEquals(rule(memory, "dram", memory), "");
  assertEquals(rule("hs 8x1", "dram", "dram"), "collective/fused");
  assertEquals(rule("dram", "dram-rm", "dram"), "collective/fused");
  assertEquals(rule("dram", "dram", "hs 8x1"), "collective/fused");
  assertEquals(rule("dram", undefined, "dram"), "operand/no-layout");
});

Deno.test("a tensor that a collective writes has its result's memory", () => {
  const model = modelOf("linear");
  const answer = (written: string): string =>
    ruleOf(model.queryOpConstraints(
      signatureOf("ttnn.point_to_point", [PART, PART], [PART], {
        sender_coord: integersAttribute([0, 0]),
        receiver_coord: integersAttribute([0, 1]),
      }),
      [layoutOf(model, PART, "l1"), layoutOf(model, PART, written)],
      layoutOf(model, PART, "dram"),
      undefined,
    ));
  assertEquals([answer("dram"), answer("l1")], ["", "collective/in-place"]);
});

Deno.test("a gather for one reader lies on one core, for any place of the tokens", () => {
  const model = modelOf("linear");
  const [tokens, gathered] = [tensorOf([256, 64]), tensorOf([256, 4])];
  const op = signatureOf("ttnn.all_to_all_dispatch_metadata", [tokens], [tokens, gathered, gathered]);
  for (const place of ["dram-rm", "hs-rm 8x1"]) {
    const answer = model.queryOpConstraints(
      op,
      [layoutOf(model, tokens, "dram-rm")],
      layoutOf(model, tokens, place),
      undefined,
    );
    assert(answer.status === "valid");
    const onOneCore = layoutOf(model, gathered, "hs-rm 1x1");
    assertEquals(answer.outputLayouts, [layoutOf(model, tokens, place), onOneCore, onOneCore]);
  }
});
