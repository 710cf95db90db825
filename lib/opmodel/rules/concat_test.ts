// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { TEST_WORMHOLE } from "../../../testing/chips.ts";
import { GraphBuilder } from "../../../testing/graph_builder.ts";
import { layoutOf, signatureOf, tensorOf } from "../../../testing/op_queries.ts";
import { describeLayout } from "../../layout/describe.ts";
import { LayoutTable } from "../../layout/layout_table.ts";
import { DEFAULT_POLICY_OPTIONS } from "../../policy/options.ts";
import { policy as dfSharding2 } from "../../policy/policies/df_sharding_2.ts";
import { ToyCostModel } from "../../propagation/testing/toy_models.ts";
import { createOpModel } from "../create_op_model.ts";
import { RULES_2025_11, RULES_2026_08, type RuleSet } from "../rule_set.ts";

const OPERAND = tensorOf([1024, 1024]);

/**
 * What a revision says to a concat of two squares in shards of a kind along a dimension: the rule of its refusal, if
 * any.
 */
function verdict(ruleSet: RuleSet, dim: 0 | 1, shards: string): string {
  const model = createOpModel({ chip: TEST_WORMHOLE, layouts: new LayoutTable(), ruleSet });
  const result = tensorOf(dim === 0 ? [2048, 1024] : [1024, 2048]);
  const op = signatureOf("ttnn.concat", [OPERAND, OPERAND], [result], {
    dim: { kind: "integer", value: BigInt(dim), type: "si32" },
  });
  const operand = layoutOf(model, OPERAND, shards);
  const answer = model.queryOpConstraints(op, [operand, operand], layoutOf(model, result, shards), undefined);
  return answer.status === "valid" ? "valid" : answer.rule;
}

Deno.test("which shards concat joins is a fact of the backend revision", () => {
  const shards = ["hs 32x1", "ws 1x32", "bs 8x8"];
  const ask = (ruleSet: RuleSet, dim: 0 | 1) => shards.map((kind) => verdict(ruleSet, dim, kind));
  assertEquals(ask(RULES_2025_11, 1), ["valid", "concat/width", "concat/block"]);
  assertEquals(ask(RULES_2025_11, 0), ["concat/height", "valid", "concat/block"]);
  assertEquals(ask(RULES_2026_08, 1), ["valid", "concat/width", "valid"]);
  assertEquals(ask(RULES_2026_08, 0), ["concat/height", "valid", "valid"]);
});

/** Operand layouts of a concat of two chains that end in block shards. */
function concatReads(ruleSet: RuleSet): readonly string[] {
  const builder = new GraphBuilder();
  const wide = tensorOf([1024, 2048]);
  const chain = () => {
    const weight = builder.argument(OPERAND, { argumentType: "parameter" });
    return builder.op(
      "ttnn.relu",
      [builder.op("ttnn.matmul", [builder.argument(OPERAND), weight], OPERAND)],
      OPERAND,
    );
  };
  const joined = builder.op("ttnn.concat", [chain(), chain()], wide, {
    attributes: { dim: { kind: "integer", value: 1n, type: "si32" } },
  });
  builder.return(builder.op("ttnn.relu", [joined], wide));
  const opModel = createOpModel({ chip: TEST_WORMHOLE, layouts: new LayoutTable(), ruleSet });
  const [plan] = dfSharding2.decide({
    graph: builder.buildGraph(),
    opModel,
    cost: new ToyCostModel(opModel.layouts),
    options: DEFAULT_POLICY_OPTIONS,
  }).functions;
  const concat = plan?.decisions[4];
  return (concat?.operands ?? []).map((source, operand) => {
    const layout = source.kind === "conversion"
      ? plan?.conversions[source.conversion]?.layout
      : plan?.decisions[operand === 0 ? 1 : 3]?.outputLayouts[0];
    return layout === undefined ? "-" : describeLayout(layout);
  });
}

Deno.test("chains that end in block shards feed a concat where the revision joins them", () => {
  assertEquals(concatReads(RULES_2025_11), ["dram/interleaved", "dram/interleaved"]);
  assertEquals(concatReads(RULES_2026_08), ["l1/block_sharded/8x8", "l1/block_sharded/8x8"]);
});
