// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { TEST_WORMHOLE } from "../../../testing/chips.ts";
import { PROJECT_ROOT } from "../../../testing/corpus.ts";
import { layoutOf, signatureOf, tensorOf } from "../../../testing/op_queries.ts";
import type { ChipDescription } from "../../device/chip_description.ts";
import type { Attribute } from "../../ir/attribute.ts";
import { coreCount } from "../../layout/core_range.ts";
import { DATA_TYPES } from "../../layout/data_type.ts";
import { type LayoutId, LayoutTable } from "../../layout/layout_table.ts";
import type {
  ComputeKernelConfig,
  MatmulProgramConfig,
  OpSpecificAttributes,
} from "../../op_config/op_config.ts";
import type { TensorShape } from "../../ops/op_signature.ts";
import { createOpModel } from "../create_op_model.ts";
import type { OpModel } from "../op_model.ts";

/**
 * Answers of ttnn 0.81.1 on n150, a line each. Accepted: bytes of its one program's buffers, kind of layout of the
 * result and its cores. Refused: the rule that we refuse it by.
 */
const RECORDED = Deno.readTextFileSync(`${PROJECT_ROOT}/testdata/backend/matmul_answers.tsv`);

function model(): OpModel {
  return createOpModel({ chip: { ...TEST_WORMHOLE, l1UnreservedBase: 105_824 }, layouts: new LayoutTable() });
}

/** `64x32 bf16 hs 2x1`, `dram-ws 1x12` over DRAM banks, `hs open` without shards. */
function read(opModel: OpModel, text: string): readonly [TensorShape, LayoutId] {
  const [shape = "", format = "", memory = "", grid = ""] = text.split(" ");
  const dataType = DATA_TYPES.find((type) => type === format) ?? "bf16";
  const tensor = tensorOf(shape.split("x").map(Number), dataType);
  if (memory.startsWith("dram-")) {
    const banks = Number(grid.split("x")[1]);
    const held = opModel.layouts.get(layoutOf(opModel, tensor, `${memory.slice(5)} ${grid}`));
    const coreRanges = [{ start: { x: 0, y: 0 }, end: { x: banks - 1, y: 0 } }];
    return [tensor, opModel.layouts.intern({ ...held, bufferType: "dram", coreRanges })];
  }
  if (grid !== "open") return [tensor, layoutOf(opModel, tensor, `${memory} ${grid}`.trim())];
  const open = opModel.layouts.get(layoutOf(opModel, tensor, `${memory} 1x1`));
  return [tensor, opModel.layouts.intern({ ...open, ignorePhysicalLayout: true })];
}

/** `2d 8x8 w2 sub1x2 core4x4 block2x4 fuse`. */
function programConfig(text: string): MatmulProgramConfig | undefined {
  if (text === "-") return undefined;
  const words = text.split(" ");
  const has = (word: string) => words.includes(word);
  const pair = (name: string): readonly [number, number] => {
    const word = words.find((other) => new RegExp(`^${name}\\d+x\\d+$`).test(other)) ?? "";
    const [first = 0, second = 0] = word.slice(name.length).split("x").map(Number);
    return [first, second];
  };
  const [perCoreM, perCoreN] = pair("core");
  const in0BlockW = Number(words.find((word) => /^w\d+$/.test(word))?.slice(1));
  const activation = has("act") ? { fusedActivation: { opType: "gelu", params: [] } } : {};
  if (has("dram")) {
    return {
      kind: "matmul_multi_core_reuse_multi_cast_dram_sharded",
      in0BlockW,
      perCoreM,
      perCoreN,
      ...activation,
    };
  }
  const [outSubblockH, outSubblockW] = pair("sub");
  const [outBlockH, outBlockW] = pair("block");
  const share = {
    computeWithStorageGridSize: pair(""),
    in0BlockW,
    outSubblockH,
    outSubblockW,
    perCoreM,
    perCoreN,
  };
  if (has("reuse")) return { kind: "matmul_multi_core_reuse", ...share };
  const blocks = { ...share, outBlockH, outBlockW, fuseBatch: has("fuse"), ...activation };
  if (has("2d")) return { kind: "matmul_multi_core_reuse_multi_cast", ...blocks, transposeMcast: has("tm") };
  return {
    kind: "matmul_multi_core_reuse_multi_cast_1d",
    ...blocks,
    mcastIn0: has("1d_in0"),
    gatherIn0: has("gather"),
    hopCores: [],
    numGlobalCbReceivers: has("gather") ? 1 : 0,
    untilizeOut: has("untilize"),
  };
}

function configOf(program: string, compute: string): OpSpecificAttributes | undefined {
  const given = programConfig(program);
  const computeConfig: ComputeKernelConfig = {
    mathFidelity: "hifi2",
    fp32DestAccEn: compute.includes("fp32"),
    packerL1Acc: compute.includes("packer"),
  };
  if (given === undefined && compute === "-") return undefined;
  return {
    kind: "matmul",
    ...(given === undefined ? {} : { programConfig: given }),
    ...(compute === "-" ? {} : { computeConfig }),
  };
}

const KINDS: Readonly<Record<string, string>> = {
  height_sharded: "hs",
  width_sharded: "ws",
  block_sharded: "bs",
  interleaved: "interleaved",
};

function attributesOf(flags: string): Readonly<Record<string, Attribute>> {
  const words = flags.split(" ");
  const activation = words.find((word) => word.length > 1);
  const isTrue: Attribute = { kind: "bool", value: true };
  return {
    ...(words.includes("a") ? { transpose_a: isTrue } : {}),
    ...(words.includes("b") ? { transpose_b: isTrue } : {}),
    ...(activation === undefined ? {} : { activation: { kind: "string", value: activation } }),
  };
}

Deno.test("matmul and linear answer as the backend did", () => {
  const opModel = model();
  const lines = RECORDED.trimEnd().split("\n").slice(1);
  assert(lines.length > 90);
  const answers = lines.map((line) => {
    const columns = line.split("\t");
    const [name = "", flags = "", operands = "", result = "", program = "", compute = ""] = columns;
    const inputs = operands.split(" | ").map((text) => read(opModel, text));
    const [type, hint] = read(opModel, result);
    const op = signatureOf(`ttnn.${name}`, inputs.map(([tensor]) => tensor), [type], attributesOf(flags));
    const answer = opModel.queryOpConstraints(
      op,
      inputs.map(([, layout]) => layout),
      hint,
      configOf(program, compute),
      Number.NEGATIVE_INFINITY,
    );
    const [made] = answer.status === "valid" ? answer.outputLayouts : [];
    const layout = made === undefined ? undefined : opModel.layouts.get(made);
    const found = answer.status === "invalid"
      ? `refused ${answer.rule}`
      : `${answer.cbPeakBytes} ${KINDS[layout?.memoryLayout ?? ""]} ${coreCount(layout?.coreRanges ?? [])}`;
    return [...columns.slice(0, 6), found].join("\t");
  });
  assertEquals(answers, lines);
});

Deno.test("cores that share a bank of DRAM halve what each holds, as the backend did on Blackhole", () => {
  const blackhole = {
    ...TEST_WORMHOLE,
    architecture: "blackhole",
    dramBanks: 8,
    l1UnreservedBase: 111_744,
  } as const;
  /** Answers of ttnn 0.81.1 on p150: columns of B, readers, blocks of K, buffers without those that are shards. */
  const answers: readonly (readonly [number, number, number, number | string])[] = [
    [4096, 1, 2, 8_192 + 104_448 + 32_768],
    [4096, 2, 2, 8_192 + 52_224 + 16_384],
    [4096, 2, 4, 16_384 + 104_448 + 16_384],
    [4096, 3, 2, "matmul/bank-readers-even"],
    [4096, 4, 2, "matmul/bank-readers"],
    [3072, 3, 2, 8_192 + 26_112 + 8_192],
    [3072, 3, 4, 16_384 + 52_224 + 8_192],
  ];
  const asked = (chip: ChipDescription, columns: number, readers: number, in0BlockW: number) => {
    const opModel = createOpModel({ chip, layouts: new LayoutTable() });
    const [a, held] = read(opModel, "32x4096 bf16 ws 1x8");
    const [b, banks] = read(opModel, `4096x${columns} bfp_bf8 dram-ws 1x8`);
    const [type, hint] = read(opModel, `32x${columns} bf16 ws 1x8`);
    const programConfig: MatmulProgramConfig = {
      kind: "matmul_multi_core_reuse_multi_cast_dram_sharded",
      in0BlockW,
      perCoreM: 1,
      perCoreN: columns / 256,
      numWorkersPerDramBank: readers,
    };
    const config: OpSpecificAttributes = { kind: "matmul", programConfig };
    const op = signatureOf("ttnn.matmul", [a, b], [type], attributesOf("-"));
    const answer = opModel.queryOpConstraints(op, [held, banks], hint, config, Number.NEGATIVE_INFINITY);
    return answer.status === "invalid" ? answer.rule : answer.cbPeakBytes;
  };
  for (const [columns, readers, width, answer] of answers) {
    assertEquals(asked(blackhole, columns, readers, width), answer, `${columns} ${readers} ${width}`);
  }
  assertEquals(asked(TEST_WORMHOLE, 4096, 2, 2), "matmul/bank-readers-chip");
});
