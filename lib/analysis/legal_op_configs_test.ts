// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { TEST_WORMHOLE } from "../../testing/chips.ts";
import { GraphBuilder } from "../../testing/graph_builder.ts";
import type { Attribute } from "../ir/attribute.ts";
import { LayoutTable } from "../layout/layout_table.ts";
import { isSharded } from "../layout/ttnn_layout.ts";
import type { OpSignature } from "../ops/op_signature.ts";
import { NO_OVERRIDES } from "../overrides/overrides.ts";
import { legalOpConfigs, type LegalOpConfigsRequest } from "./legal_op_configs.ts";
import { LegalTensorLayoutAnalysis } from "./legal_tensor_layouts.ts";
import { attributesKey } from "./op_config.ts";
import { scalarDataTypes } from "./print_analysis.ts";

const table = new LayoutTable();
const analysis = new LegalTensorLayoutAnalysis(TEST_WORMHOLE, table, { rowMajorEnabled: false });

function integer(value: number): Attribute {
  return { kind: "integer", value: BigInt(value), type: "i32" };
}

function configsOf(
  op: Pick<OpSignature, "name" | "operands" | "results"> & {
    readonly attributes?: OpSignature["attributes"];
  },
  request: Partial<LegalOpConfigsRequest> = {},
) {
  const [result] = op.results;
  const pages = result === undefined ? undefined : analysis.layoutsOf(result).tiled;
  const layouts = [...pages?.interleaved ?? [], ...pages?.sharded.slice(0, 4) ?? []];
  const signature = { attributes: new Map(), operandSegmentSizes: undefined, ...op };
  return {
    layouts,
    configs: legalOpConfigs(
      {
        op: signature,
        own: undefined,
        conv2dOverride: undefined,
        conv3dOverride: undefined,
        foldBatch: true,
        ...request,
      },
      table,
    )(layouts),
  };
}

const ACTIVATION = { shape: [1, 1, 4096, 64], dataType: "bf16" } as const;

Deno.test("legalOpConfigs() tries every layout with each conv2d config in turn", () => {
  const conv = {
    name: "ttnn.conv2d",
    operands: [ACTIVATION, { shape: [64, 64, 3, 3], dataType: "bfp_bf8" as const }],
    results: [ACTIVATION],
  };
  const { layouts, configs } = configsOf(conv);
  assertEquals(configs.length, 3 * layouts.length);
  assertEquals(configs.map(({ outputLayout }) => outputLayout), [...layouts, ...layouts, ...layouts]);
  const blocks = configs.map(({ attributes }) =>
    attributes?.kind === "conv2d" ? attributes.conv2dConfig?.actBlockHOverride : undefined
  );
  assertEquals(blocks, [0, 64, 32].flatMap((block) => layouts.map(() => block)));
  const [first] = configs;
  assertEquals(first?.attributes?.kind === "conv2d" && first.attributes.conv2dConfig, {
    weightsDtype: "bfp_bf8",
    deallocateActivation: true,
    actBlockHOverride: 0,
  });
});

Deno.test("legalOpConfigs() does not search what the op or the user fixes", () => {
  const conv = { name: "ttnn.conv2d", operands: [ACTIVATION, ACTIVATION], results: [ACTIVATION] };
  const { layouts, configs } = configsOf(conv, {
    own: { kind: "conv2d", conv2dConfig: { weightsDtype: "f32", actBlockHOverride: 96 } },
    conv2dOverride: { actBlockHOverride: 128, deallocateActivation: false },
  });
  assertEquals(configs.length, layouts.length);
  const [first] = configs;
  assertEquals(first?.attributes?.kind === "conv2d" && first.attributes.conv2dConfig, {
    weightsDtype: "f32",
    actBlockHOverride: 128,
    deallocateActivation: false,
  });
});

Deno.test("legalOpConfigs() gives sharded matmul outputs a program config, and no others", () => {
  const matmul = {
    name: "ttnn.matmul",
    operands: [{ shape: [512, 256], dataType: "bf16" as const }, {
      shape: [256, 512],
      dataType: "bf16" as const,
    }],
    results: [{ shape: [512, 512], dataType: "bf16" as const }],
  };
  for (const { outputLayout, attributes } of configsOf(matmul).configs) {
    assertEquals(attributes !== undefined, isSharded(table.get(outputLayout)));
  }
});

Deno.test("legalOpConfigs() computes conv3d in high fidelity with blocks from the table", () => {
  const { layouts, configs } = configsOf({
    name: "ttnn.conv3d",
    operands: [ACTIVATION, ACTIVATION],
    results: [ACTIVATION],
    attributes: new Map<string, Attribute>([
      ["in_channels", integer(192)],
      ["out_channels", integer(384)],
      ["kernel_size", { kind: "denseArray", elementType: "i32", values: [3, 3, 3] }],
    ]),
  });
  assertEquals(configs.map(({ outputLayout }) => outputLayout), layouts);
  assertEquals(configs[0]?.attributes, {
    kind: "conv3d",
    conv3dConfig: { cInBlock: 64, cOutBlock: 128, tOutBlock: 1, hOutBlock: 8, wOutBlock: 4 },
    computeConfig: { mathFidelity: "hifi4", mathApproxMode: true, fp32DestAccEn: true, packerL1Acc: false },
  });
});

Deno.test("attributesKey() is equal for equal configs, whatever the order of their fields", () => {
  assertEquals(
    attributesKey({ kind: "conv2d", conv2dConfig: { actBlockHOverride: 1, deallocateActivation: true } }),
    attributesKey({ conv2dConfig: { deallocateActivation: true, actBlockHOverride: 1 }, kind: "conv2d" }),
  );
});

Deno.test("scalarDataTypes() lists formats by first sight, overrides before results before operands", () => {
  const builder = new GraphBuilder();
  const x = builder.argument({ shape: [32], dataType: "u32" });
  const y = builder.op("ttnn.typecast", [x], { shape: [32], dataType: "bf16" }, { location: 'loc("cast")' });
  builder.return(y);
  const graph = builder.buildGraph();
  assertEquals(scalarDataTypes(graph, NO_OVERRIDES), ["bf16", "u32"]);
  assertEquals(
    scalarDataTypes(graph, { ...NO_OVERRIDES, outputLayouts: new Map([["cast", { dataType: "f32" }]]) }),
    ["f32", "bf16", "u32"],
  );
});

Deno.test("legalOpConfigs() counts the batch of A as rows where it is asked to", () => {
  const a = { shape: [4, 1024, 64], dataType: "bf16" } as const;
  const b = { shape: [64, 64], dataType: "bf16" } as const;
  const rowsPerCore = (foldBatch: boolean): number | undefined => {
    const { configs } = configsOf({ name: "ttnn.matmul", operands: [a, b], results: [a] }, { foldBatch });
    const attributes = configs.find(({ outputLayout }) =>
      table.get(outputLayout).memoryLayout === "height_sharded"
    )
      ?.attributes;
    const program = attributes?.kind === "matmul" ? attributes.programConfig : undefined;
    return program?.kind === "matmul_multi_core_reuse_multi_cast_1d" ? program.perCoreM : undefined;
  };
  // 128 rows of tiles over 64 cores; 32 of them without the batch.
  assertEquals([rowsPerCore(true), rowsPerCore(false)], [2, 1]);
});
