// SPDX-License-Identifier: Apache-2.0
import { assert } from "@std/assert";
import fc from "fast-check";
import type { RuntimeEstimate } from "../../lib/cost/cost_model.ts";
import type { TensorShape } from "../../lib/ops/op_signature.ts";
import { LayoutTable } from "../../lib/layout/layout_table.ts";
import { type LayoutRequest, makeLayout } from "../../lib/layout/make_layout.ts";
import type { OpSpecificAttributes } from "../../lib/op_config/op_config.ts";
import type { MathFidelity } from "../../lib/op_config/math_fidelity.ts";
import type { CostClass } from "../../lib/ops/cost_class.ts";
import { attributesOf } from "../audit/op_question.ts";
import { chipDescription, type Device } from "../devices/device.ts";
import { getDevice } from "../devices/device_registry.ts";
import { createCostModel } from "../cost/runtime.ts";
import { launcherOf, opOfClass } from "../testing/models.ts";

type Placement = Partial<LayoutRequest>;

interface Case {
  readonly costClass: CostClass;
  readonly device: string;
  readonly rows: number;
  readonly columns: number;
  readonly dataType: "bf16" | "f32" | "bfp_bf8";
  readonly memory: "dram" | "l1";
}

const FIDELITIES: readonly MathFidelity[] = ["lofi", "hifi2", "hifi3", "hifi4"];

/** Cycles of the matrix engine per tile product at LoFi; each step of fidelity adds as many. */
const PASSES: Readonly<Record<MathFidelity, number>> = { lofi: 1, hifi2: 2, hifi3: 3, hifi4: 4 };

const CLASSES: readonly CostClass[] = [
  "matmul",
  "eltwise_unary",
  "eltwise_binary",
  "reduction",
  "softmax",
  "norm",
  "permute",
  "reshape",
  "concat",
  "slice",
  "pad",
  "typecast",
  "to_layout",
  "reshard",
  "creation",
  "cache_update",
  "rotary",
  "heads",
  "embedding",
  "sdpa",
];

const DEVICES = ["n150", "n300", "p100", "p150-13x10", "p150"];

const RUNS = 1000;

/** Room for rounding, and for cycles of a whole tile. */
const ROUNDING = 1 - 1e-9;

const anyCase: fc.Arbitrary<Case> = fc.record({
  costClass: fc.constantFrom(...CLASSES),
  device: fc.constantFrom(...DEVICES),
  rows: fc.integer({ min: 1, max: 64 }).map((tiles) => tiles * 32),
  columns: fc.integer({ min: 1, max: 64 }).map((tiles) => tiles * 32),
  dataType: fc.constantFrom("bf16", "f32", "bfp_bf8"),
  memory: fc.constantFrom("dram", "l1"),
});

/**
 * Attributes of ops for which a class has one program in every format. It has others, by format, where all dimensions
 * are reduced at once or a slice that begins within a tile untilizes tiles (ttnn:backend-0-81-1).
 */
const ATTRIBUTES: Partial<
  Record<CostClass, (extents: readonly [number, number]) => Parameters<typeof attributesOf>[0]>
> = {
  reduction: () => ({ dim_arg: [3] }),
  pad: () => ({ padding: [0, 0, 0, 0, 0, 0, 0, 0] }),
  concat: () => ({ dim: 0 }),
  permute: () => ({ permutation: [0, 1, 2, 3] }),
  softmax: () => ({ dimension: -1 }),
  slice: (extents) => ({ begins: [0, 0, 0, 0], ends: [1, 1, ...extents], step: [1, 1, 1, 1] }),
};

/** Prices an op over a `rows x columns` tensor; matmuls and concats take a second operand. */
function price(
  { costClass, device: name, rows, columns, dataType, memory }: Case,
  config?: OpSpecificAttributes,
  input: Placement = {},
  output: Placement = input,
): { readonly estimate: RuntimeEstimate; readonly device: Device } {
  const device = getDevice(name);
  const { workerGrid, dramBanks } = chipDescription(device);
  const layouts = new LayoutTable();
  const tensor: TensorShape = { shape: [1, 1, rows, columns], dataType };
  const square: TensorShape = { shape: [columns, columns], dataType };
  const intern = (type: TensorShape, placement: Placement) =>
    layouts.intern(
      makeLayout(
        {
          shape: type.shape,
          dataType,
          bufferType: memory,
          memoryLayout: "interleaved",
          ...placement,
        },
        workerGrid,
        dramBanks,
      ),
    );
  const second = costClass === "matmul" ? square : tensor;
  const operands = costClass === "sdpa" ? [tensor, tensor, tensor] : [tensor, second];
  const inputs = operands.map((operand, index) => intern(operand, index === 0 ? input : {}));
  const cost = createCostModel({ device, layouts, opModel: launcherOf(device, layouts) });
  const result = costClass === "reduction" ? { ...tensor, shape: [1, 1, rows, 1] } : tensor;
  const op = {
    name: opOfClass(costClass),
    attributes: attributesOf(ATTRIBUTES[costClass]?.([rows, columns]) ?? {}),
    operands,
    operandSegmentSizes: undefined,
    results: [result],
  };
  return { estimate: cost.getOpRuntime(op, inputs, [intern(result, output)], config), device };
}

function kernelTime({ microseconds, terms }: RuntimeEstimate): number {
  return microseconds - terms.launch;
}

/** Blocks that change with the shape only, unlike those that the backend derives. */
function plainBlocks({ rows, columns }: Case): OpSpecificAttributes {
  const perCoreM = Math.ceil(rows / 32 / 8);
  const perCoreN = Math.ceil(columns / 32 / 8);
  return {
    kind: "matmul",
    programConfig: {
      kind: "matmul_multi_core_reuse_multi_cast",
      computeWithStorageGridSize: [8, 8],
      in0BlockW: 1,
      outSubblockH: 1,
      outSubblockW: 1,
      outBlockH: perCoreM,
      outBlockW: perCoreN,
      perCoreM,
      perCoreN,
      transposeMcast: false,
      fuseBatch: true,
    },
  };
}

function matmulAt(mathFidelity: MathFidelity): OpSpecificAttributes {
  return { kind: "matmul", computeConfig: { mathFidelity } };
}

Deno.test("getOpRuntime() is never faster than DRAM delivers the bytes", () => {
  fc.assert(
    fc.property(anyCase, (given) => {
      const { estimate, device } = price(given);
      const least = estimate.dramBytes / (device.dram.peakBandwidth * 1000);
      assert(kernelTime(estimate) >= least * ROUNDING, `${kernelTime(estimate)} < ${least} us`);
    }),
    { numRuns: RUNS },
  );
});

Deno.test("getOpRuntime() is never faster than the ports of its cores take the bytes", () => {
  fc.assert(
    fc.property(anyCase, (given) => {
      const { estimate, device } = price({ ...given, memory: "l1" });
      // A core has two ports, one per NoC, each of which takes and gives a flit per cycle; bytes are counted once.
      const perCycle = estimate.cores * 2 * 2 * device.noc.linkBytesPerCycle;
      const least = estimate.nocBytes === 0 ? 0 : estimate.nocBytes / perCycle / device.clock.aiclk;
      assert(kernelTime(estimate) >= least * ROUNDING, `${kernelTime(estimate)} < ${least} us`);
    }),
    { numRuns: RUNS },
  );
});

Deno.test("getOpRuntime() is never faster than the matrix engines multiply", () => {
  fc.assert(
    fc.property(anyCase, fc.constantFrom(...FIDELITIES), (given, fidelity) => {
      const { estimate, device } = price({ ...given, costClass: "matmul" }, matmulAt(fidelity));
      const products = given.rows * given.columns ** 2 / 32 ** 3;
      const cycles = products * device.tensix.matmulTileLofi * PASSES[fidelity] / estimate.cores;
      const least = cycles / device.clock.aiclk;
      assert(kernelTime(estimate) >= least * ROUNDING, `${kernelTime(estimate)} < ${least} us`);
      assert(estimate.flops >= 2 * products * 32 ** 3);
    }),
    { numRuns: RUNS },
  );
});

Deno.test("getOpRuntime() is at least its launch and each of its terms", () => {
  fc.assert(
    fc.property(anyCase, (given) => {
      const { estimate } = price(given);
      for (const term of Object.values(estimate.terms)) assert(term >= 0);
      for (const name of ["read", "compute", "write"] as const) {
        assert(kernelTime(estimate) >= estimate.terms[name] * ROUNDING, name);
      }
      assert(estimate.terms[estimate.dominant] >= Math.max(...Object.values(estimate.terms)) * ROUNDING);
    }),
    { numRuns: RUNS },
  );
});

Deno.test("getOpRuntime() never falls with more rows", () => {
  fc.assert(
    fc.property(anyCase, fc.constantFrom(2, 4, 8), (given, factor) => {
      const taller = { ...given, rows: given.rows * factor };
      const small = price(given, plainBlocks(given)).estimate.microseconds;
      const large = price(taller, plainBlocks(taller)).estimate.microseconds;
      assert(large >= small * ROUNDING, `${large} us for ${factor} times the rows of ${small} us`);
    }),
    { numRuns: RUNS },
  );
});

Deno.test("getOpRuntime() never falls with wider elements", () => {
  const narrowToWide = ["bfp_bf8", "bf16", "f32"] as const;
  // A table in tiles is untilized: narrow ones by a kernel that divides rows evenly, wide ones by another (ttnn:backend-0-81-1).
  const classes = CLASSES.filter((costClass) => costClass !== "typecast" && costClass !== "embedding");
  fc.assert(
    fc.property(anyCase, fc.constantFrom(...classes), (given, costClass) => {
      const times = narrowToWide.map((dataType) =>
        price({ ...given, costClass, dataType }, plainBlocks(given)).estimate.microseconds
      );
      times.reduce((narrow, wide) => {
        assert(wide >= narrow * ROUNDING, `${times}`);
        return wide;
      });
    }),
    { numRuns: RUNS },
  );
});

Deno.test("getOpRuntime() never falls with higher fidelity", () => {
  fc.assert(
    fc.property(anyCase, (given) => {
      const times = FIDELITIES.map((fidelity) =>
        price({ ...given, costClass: "matmul" }, matmulAt(fidelity)).estimate.microseconds
      );
      times.reduce((low, high) => {
        assert(high >= low * ROUNDING, `${times}`);
        return high;
      });
    }),
    { numRuns: RUNS },
  );
});

Deno.test("getOpRuntime() never falls when the same work is on fewer cores", () => {
  const local: readonly CostClass[] = ["eltwise_unary", "eltwise_binary", "typecast"];
  const powers = fc.integer({ min: 0, max: 5 }).map((power) => 2 ** power);
  fc.assert(
    fc.property(anyCase, fc.constantFrom(...local), powers, powers, (given, costClass, a, b) => {
      const rows = 64 * 32;
      const on = (cores: number) => {
        const placement: Placement = { bufferType: "l1", memoryLayout: "height_sharded", grid: [cores, 1] };
        return price({ ...given, costClass, rows, columns: 256 }, undefined, placement).estimate.microseconds;
      };
      const [few, many] = [Math.min(a, b), Math.max(a, b)];
      assert(on(few) >= on(many) * ROUNDING, `${on(few)} us on ${few}, ${on(many)} us on ${many} cores`);
    }),
    { numRuns: RUNS },
  );
});

Deno.test("getReshardRuntime() is never faster than the slowest receiver's ports, and free of DRAM bytes in L1", () => {
  const grids = fc.constantFrom<readonly [number, number]>([8, 1], [16, 1], [32, 1], [64, 1]);
  fc.assert(
    fc.property(fc.constantFrom(...DEVICES), grids, grids, (name, from, to) => {
      const device = getDevice(name);
      const { workerGrid, dramBanks } = chipDescription(device);
      const layouts = new LayoutTable();
      const tensor: TensorShape = { shape: [1, 1, 2048, 256], dataType: "bf16" };
      const on = (grid: readonly [number, number]) =>
        layouts.intern(makeLayout(
          { ...tensor, dataType: "bf16", bufferType: "l1", memoryLayout: "height_sharded", grid },
          workerGrid,
          dramBanks,
        ));
      const cost = createCostModel({
        device,
        layouts,
        opModel: launcherOf(device, layouts),
      });
      const estimate = cost.getReshardRuntime(tensor, on(from), on(to));
      assert(estimate.dramBytes === 0);
      const perReceiver = from[0] === to[0] ? 0 : 2048 * 256 * 2 / Math.min(to[0], from[0]);
      const least = perReceiver / (2 * device.noc.linkBytesPerCycle) / device.clock.aiclk;
      assert(kernelTime(estimate) >= least * ROUNDING, `${kernelTime(estimate)} < ${least} us`);
    }),
    { numRuns: RUNS },
  );
});
