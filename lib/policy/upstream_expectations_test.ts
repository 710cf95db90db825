// SPDX-License-Identifier: Apache-2.0

/**
 * The expectations of tt-mlir's own lit and unit tests for its pass-based optimizer (tt-mlir:optimizer-tests,
 * those marked usable), checked for our policies with `--score local` on a Wormhole chip.
 */

import { assert, assertEquals } from "@std/assert";
import { GraphBuilder, type OpOptions } from "../../testing/graph_builder.ts";
import type { Attribute } from "../ir/attribute.ts";
import type { ValueId } from "../graph/graph.ts";
import type { TensorShape } from "../ops/op_signature.ts";
import { describeLayout } from "../layout/describe.ts";
import { LayoutTable } from "../layout/layout_table.ts";
import type { DataType } from "../layout/data_type.ts";
import { createOpModel } from "../opmodel/create_op_model.ts";
import type { FunctionPlan } from "../plan/plan.ts";
import { ToyCostModel } from "../propagation/testing/toy_models.ts";
import { TEST_WORMHOLE } from "../../testing/chips.ts";
import { policy as beam } from "./policies/beam.ts";
import { policy as greedy } from "./policies/greedy.ts";
import { DEFAULT_POLICY_OPTIONS, type PolicyOptions } from "./options.ts";
import type { Policy } from "./policy.ts";

function tensor(shape: readonly number[], dataType: DataType = "bf16"): TensorShape {
  return { shape, dataType };
}

/** Plans a function; also returns the spelling of each op's first result. */
function plan(
  policy: Policy,
  make: (builder: GraphBuilder) => ValueId,
  options: Partial<PolicyOptions> = {},
): { readonly plan: FunctionPlan; readonly layouts: readonly string[] } {
  const builder = new GraphBuilder();
  builder.return(make(builder));
  const settings: PolicyOptions = { ...DEFAULT_POLICY_OPTIONS, score: "local", ...options };
  const layouts = new LayoutTable();
  const opModel = createOpModel({ chip: TEST_WORMHOLE, layouts, usableL1Cap: settings.tensorL1UsageCap });
  const cost = new ToyCostModel(layouts, TEST_WORMHOLE);
  const [decided] =
    policy.decide({ graph: builder.buildGraph(), opModel, cost, options: settings }).functions;
  assert(decided !== undefined);
  return {
    plan: decided,
    layouts: decided.decisions.map(({ outputLayouts: [layout] }) =>
      layout === undefined ? "-" : describeLayout(layout)
    ),
  };
}

const POLICIES = [greedy, beam];

function integer(value: number): Attribute {
  return { kind: "integer", value: BigInt(value), type: "i32" };
}

for (const policy of POLICIES) {
  Deno.test(`${policy.name}: L1, everything is in DRAM under a cap of one percent`, () => {
    const square = tensor([512, 512]);
    const chain = (builder: GraphBuilder): ValueId => {
      const x = builder.argument(square);
      const y = builder.argument(square);
      const a = builder.op("ttnn.add", [x, y], square);
      const b = builder.op("ttnn.relu", [a], square);
      const c = builder.op("ttnn.multiply", [a, b], square);
      return builder.op("ttnn.add", [c, b], square);
    };
    assertEquals(
      new Set(plan(policy, chain, { tensorL1UsageCap: 0.01 }).layouts),
      new Set(["dram/interleaved"]),
    );
  });

  Deno.test(`${policy.name}: L2, add and relu of 64x128 need no spill`, () => {
    const small = tensor([64, 128]);
    const { plan: decided } = plan(policy, (builder) => {
      const sum = builder.op("ttnn.add", [builder.argument(small), builder.argument(small)], small);
      return builder.op("ttnn.relu", [sum], small);
    });
    assertEquals(decided.conversions.filter((conversion) => conversion.reason === "spill"), []);
  });

  Deno.test(`${policy.name}: L7, a sharded matmul carries a multicast program config`, () => {
    const { plan: decided } = plan(policy, (builder) => {
      const a = builder.argument(tensor([512, 1024]));
      const b = builder.argument(tensor([1024, 2048]), { argumentType: "parameter" });
      const product = builder.op("ttnn.matmul", [a, b], tensor([512, 2048]));
      return builder.op(
        "ttnn.multiply",
        [product, builder.argument(tensor([512, 2048]))],
        tensor([512, 2048]),
      );
    });
    const config = decided.decisions[0]?.config;
    const program = config?.kind === "matmul" ? config.programConfig : undefined;
    assert(program !== undefined && program.kind.includes("multi_cast"));
    assert("outBlockW" in program, "all block fields are there");
  });

  Deno.test(`${policy.name}: L8, without legal layouts matmuls stay in DRAM`, () => {
    const { layouts } = plan(policy, (builder) => {
      const weight = (): ValueId => builder.argument(tensor([1024, 1024]), { argumentType: "parameter" });
      const first = builder.op(
        "ttnn.matmul",
        [builder.argument(tensor([1024, 1024])), weight()],
        tensor([1024, 1024]),
      );
      return builder.op("ttnn.matmul", [first, weight()], tensor([1024, 1024]));
    }, { maxLegalLayouts: 0 });
    assertEquals(layouts, ["dram/interleaved", "dram/interleaved"]);
  });

  Deno.test(`${policy.name}: L11, gelu of a wide row is sharded`, () => {
    const wide = tensor([32, 1, 8192]);
    const { layouts } = plan(policy, (builder) => {
      const gelu = builder.op("ttnn.gelu", [builder.argument(wide)], wide);
      return builder.op("ttnn.add", [gelu, builder.argument(wide)], wide);
    });
    assert(layouts[0]?.includes("sharded"), layouts[0]);
    const decided = plan(policy, (builder) => {
      const sum = builder.op("ttnn.add", [builder.argument(wide), builder.argument(wide)], wide);
      return builder.op("ttnn.gelu", [sum], wide);
    });
    assert(decided.layouts[0]?.includes("sharded"), decided.layouts[0]);
  });

  Deno.test(`${policy.name}: L12, the linear layers of an MLP are sharded`, () => {
    const { layouts } = plan(policy, (builder) => {
      const linear = (x: ValueId, from: number, to: number): ValueId =>
        builder.op(
          "ttnn.linear",
          [
            x,
            builder.argument(tensor([from, to], "f32"), { argumentType: "parameter" }),
            builder.argument(tensor([1, to], "f32"), { argumentType: "parameter" }),
          ],
          tensor([1, to], "f32"),
        );
      const hidden = linear(builder.argument(tensor([1, 784], "f32")), 784, 256);
      const relu = builder.op("ttnn.relu", [hidden], tensor([1, 256], "f32"));
      return builder.op("ttnn.relu", [linear(relu, 256, 10)], tensor([1, 10], "f32"));
    });
    assert(layouts[0]?.startsWith("l1/width_sharded"), layouts[0]);
    assert(layouts[1]?.startsWith("l1/width_sharded"), layouts[1]);
    assert(layouts[2]?.includes("sharded"), layouts[2]);
  });

  Deno.test(`${policy.name}: L13, scalars are decided as well`, () => {
    const scalar = tensor([]);
    const { layouts } = plan(policy, (builder) => {
      const sum = builder.op("ttnn.add", [builder.argument(scalar), builder.argument(scalar)], scalar);
      return builder.op("ttnn.add", [sum, builder.argument(scalar)], scalar);
    });
    assertEquals(layouts.length, 2);
  });

  Deno.test(`${policy.name}: L17, rms_norm of one tile row is sharded`, () => {
    const row = tensor([1, 1, 32, 2048]);
    const { layouts } = plan(policy, (builder) => {
      const weight = builder.argument(tensor([2048]), { argumentType: "parameter" });
      const options: OpOptions = {
        attributes: { epsilon: { kind: "float", value: 1e-5, type: "f32" } },
        operandSegmentSizes: [1, 1, 0],
      };
      const norm = builder.op("ttnn.rms_norm", [builder.argument(row), weight], row, options);
      return builder.op("ttnn.relu", [norm], row);
    });
    assert(layouts[0]?.includes("sharded"), layouts[0]);
  });

  Deno.test(`${policy.name}: L9, a small convolution is height sharded`, () => {
    const ints = (...values: number[]): Attribute => ({ kind: "denseArray", elementType: "i32", values });
    const { layouts } = plan(policy, (builder) => {
      const device = builder.argument(undefined);
      const x = builder.argument(tensor([1, 1, 16 * 32 * 32, 64]));
      const weight = builder.argument(tensor([64, 64, 3, 3]), { argumentType: "parameter" });
      const bias = builder.argument(tensor([1, 1, 1, 64]), { argumentType: "parameter" });
      const attributes: Record<string, Attribute> = {
        in_channels: integer(64),
        out_channels: integer(64),
        batch_size: integer(16),
        input_height: integer(32),
        input_width: integer(32),
        kernel_size: ints(3, 3),
        stride: ints(1, 1),
        padding: ints(1, 1, 1, 1),
        dilation: ints(1, 1),
        groups: integer(1),
      };
      const out = tensor([1, 1, 16 * 32 * 32, 64]);
      const conv = builder.op("ttnn.conv2d", [x, weight, bias, device], out, { attributes });
      return builder.op("ttnn.relu", [conv], out);
    }, { maxLegalLayouts: 32 });
    assert(layouts[0]?.startsWith("l1/height_sharded"), layouts[0]);
  });
}
