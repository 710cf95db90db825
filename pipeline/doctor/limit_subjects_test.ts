// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { readRuntimeLog } from "./runtime_log.ts";
import { said } from "./testing/answers.ts";

/** How tt-mlir's validation ends what it says of an op. */
const TESTED = "No fallback configuration worked (tested up to 12 combinations).";

/** What an answer holds, and what it must not hold, by the message. */
const ANSWERS: readonly (readonly [holds: readonly string[], lacks: readonly string[], text: string])[] = [
  // A refusal that tt-mlir's validation quotes is explained in its place.
  [
    [
      "Input of sort must be tilized",
      "while it compiled (OperationValidationAndFallback)",
      "optimization-level=0",
    ],
    ["no fallback configuration"],
    `loc("sort.3"): error: OperationValidationAndFallback: Operation ttnn.sort failed validation (original error: MetalBackendError - Op constraint query failed with error: TT_FATAL @ /x/sort_device_operation.cpp:9: t.is_tiled()\ninfo:\nInput of sort must be tilized\n). ${TESTED}`,
  ],
  [
    ["conv2d", "fragmented", "while it compiled (OperationValidationAndFallback)"],
    ["no fallback configuration"],
    `loc("c.3"): error: OperationValidationAndFallback: Operation ttnn.conv2d failed validation (original error: OutOfMemoryError - Out of Memory: Not enough space to allocate 64000 B L1 buffer across 64 banks, where each bank needs to store 1000 B, but bank size is 9000 B (allocated: 7000 B, free: 2000 B, largest free block: 500 B)). ${TESTED}`,
  ],
  [
    ["11x10 against 13x10", "ttrt query"],
    ["another form"],
    'error: OperationValidationAndFallback: Operation ttnn.ones failed validation (original error: MetalBackendError - Selected worker grid is different than available grid size. Compute Grid Size: 11-10, Worker Grid Size: (x=13,y=10)\nOperation IR: "ttnn.ones"(%0)',
  ],
  [
    ['the op may be ttnn.typecast, at loc("convert.1")', "(L1SpillManagement)", "optimization-level=1"],
    ["Failed to run", "OperationValidationAndFallback"],
    'loc("convert.1"): error: L1SpillManagement: DRAM output config failed\nvalidation after demotion ...\nTT_FATAL typecast_device_op.cpp:110:\na_memory_layout == out_memory_config.memory_layout()\n(Input: BLOCK_SHARDED, Output: INTERLEAVED)\n-> Failed to run TTIRToTTNNCommon',
  ],
  [
    ["the result's type as operands and attributes make it"],
    ["broadcast"],
    "'ttnn.clamp' op input and output must have same shape.",
  ],
  [
    ["1536 bytes on 32", "larger shards"],
    ["differ in grid"],
    "Cannot set to globally allocated buffer. Circular buffer size 1536 B exceeds allocated L1 buffer bank size of 32 B",
  ],
  // A tensor on the host, and a result that no rounding explains.
  [
    ["ttnn.to_device"],
    ["more than four dimensions"],
    "ttnn.sum segfaults when given a tensor that is not on a device",
  ],
  [["without sharding"], ["HiFi4"], "AssertionError: PCC 0.1187 is below 0.99"],
  [["HiFi4"], ["hardly"], "AssertionError: PCC 0.9871 is below 0.99"],
  [
    ["without sharding"],
    ["no lowering"],
    "test=ttnn/test_mnist.ttnn experienced an error with exception=Failed: golden comparison failed, actual_pcc=0.0 < expected_pcc=0.99",
  ],
  [
    ["a ttnn.add of it behind the op"],
    [],
    "TT_FATAL @ /x/ttnn/cpp/ttnn/operations/matmul/matmul.cpp:241: !(b_is_batched && bias.has_value())\ninfo:\nBatched input not supported when bias exists (linear operation).",
  ],
  [
    ["another program config"],
    [],
    "TT_ASSERT @ /x/bmm_op_multi_core_reuse_mcast_2d_optimized.cpp:964: false\ninfo:\nmcast_in0 is not implemented yet.",
  ],
  [
    ["torch-mlir"],
    ["tilewright optimize"],
    "failed to legalize operation 'torch.operator' that was explicitly marked illegal",
  ],
  [
    ["The watcher stopped the device"],
    ["run without the tool"],
    "TT_THROW @ tt_metal/llrt/watcher.cpp:226: tt::exception\ninfo:\nOn core (x=1,y=1): noc0:brisc{(00,48) 0x000000e0, 2048}",
  ],
  [
    ["into height shards", "or into interleaved"],
    ["some have to agree"],
    "FATAL    | ttnn.pad: For sharded inputs, only height-sharding is supported.",
  ],
  [
    ["the device had no part in it"],
    ["more than four dimensions"],
    'python: /x/mlir/IR/BuiltinAttributes.h.inc:445: Attribute mlir::ArrayAttr::operator[](unsigned int) const: Assertion `idx < size() && "index out of bounds"\' failed.',
  ],
  [["a newer ttnn"], ["more than four dimensions"], "free(): corrupted unsorted chunks"],
  [
    ["ttnn.reshape"],
    [],
    "The ReshapeOp test fails\nTT_ASSERT @ /x/ttnn/cpp/ttnn/tensor/tensor_impl.cpp:536: tensor.is_allocated()\ninfo:\nBuffer must be allocated on device!",
  ],
  // What another tool says is of no op of ttnn, and a remedy stands once.
  [
    ["TVM refuses", "fixed shapes"],
    ["no lowering", "run the model on the CPU"],
    "TVMError: In function relay.op._make.full(0: RelayExpr): InternalError: Check failed: Expected Array[IntImm], but got Array[index 1: tir.Any]",
  ],
  [
    ["no lowering for ttir.reverse"],
    ["the op is ttnn.conv2d"],
    "The conv2d of a gradient: failed to legalize operation 'ttir.reverse' that was explicitly marked illegal",
  ],
  [
    ["block_h and block_w"],
    ["as the message says"],
    "TT_FATAL: ERROR - LayerNormMultiCoreProgramConfig is used with sharded input. Please use LayerNormShardedMultiCoreProgramConfig, or interleave the tensors.",
  ],
  [["Padding attribute values of at least 0"], [], "'ttir.conv2d' op Padding attribute values must be >= 0."],
  // A full bank is read by its numbers, whatever stands before them.
  [
    ["900 bytes in each L1 bank", "of 2,700 1,600 are free, 800 in one piece", "no hole is large enough"],
    ["whatever else is there"],
    "Out of Memory: each bank needs to store 900 B\nallocated: 1100 B, free: 1600 B, largest free block: 800 B",
  ],
  [
    ["in each DRAM bank", "weights and KV cache"],
    ["no hole is large enough"],
    "each bank needs to store 9000 B, but bank size is 1070773184 B (allocated: 1070770000 B, free: 3184 B, largest free block: 3184 B)",
  ],
  [
    ["in each L1_SMALL bank", "l1_small_size of 33,792 bytes"],
    [],
    "L1_SMALL is full: each bank needs to store 1024 B (allocated: 32768 B, free: 0 B, largest free block: 0 B)",
  ],
  [["finds no room in its L1"], ["whatever else is there"], "TT_FATAL: Not enough L1 memory (assert.hpp:1)"],
  [
    ["whatever else is there"],
    [],
    "TT_FATAL: Workload of 2000000 bytes exceeds L1 capacity 1499136 (assert.hpp:1)",
  ],
  // An index that the op counts to itself is about its cores.
  [
    [
      "the op may be ttnn.paged_scaled_dot_product_attention_decode",
      "max_cores_per_head_batch = 1",
      "fewer cores",
    ],
    ["An argument, an extent", "layouts do not matter"],
    'SDPA decode crashes with `TT_FATAL: Output spatial index 32 out of bounds (max 32)` on 110 cores.\n%1 = "ttir.paged_scaled_dot_product_attention_decode"(%0) : (tensor<1xbf16>) -> tensor<1xbf16>',
  ],
  [
    ["the op may be ttnn.matmul\n", "a larger grid", "bfp_bf8", "are Wormhole's"],
    [],
    "[61] graph/ops.mlir/matmul_0 — COMPILE FAIL\ndiagnostics:\nerror: 'func.func' op required L1 memory usage 3149824 exceeds memory capacity 1395424 (usable space is [103712, 1499136))",
  ],
  // Where it quotes none, the layouts may still be at fault.
  [
    ['loc("gather.1")', "optimization-level=0"],
    [],
    'loc("gather.1"): error: OperationValidationAndFallback: Operation failed validation and no fallback configuration worked',
  ],
  // The optimizer, before anything runs.
  [
    ['loc("add.5_mem_reconfig")', "tensor-l1-usage-cap", "--override-output-layout"],
    ["no layout changes that", "module_builder"],
    'loc("add.5_mem_reconfig"("add.5")): error: L1SpillManagementBase: a value has no contiguous L1 placement after all evictions\nmodule_builder.cc:1 ERR| Failed to run TTIRToTTNNCommon pipeline',
  ],
  [
    ["10000 bytes per core too far"],
    [],
    "error: L1 region [50000, 90000] clashes with CB region ending at 60000",
  ],
  [
    [
      "needs 5000000 bytes per core (operand 2000000, result 2900000, circular buffers 100000)",
      "ttnn.permute",
    ],
    ["whatever else is there"],
    'Not enough L1 memory. OpModel constraints failed: loc("a":0:0)->ttnn.permute \nl1Usage: 5000000, producerL1OutputUsage: 2000000, outputTensorUsage: 2900000, cBUsagePeak: 100000',
  ],
  [
    ["enable-optimizer=false", "ttnn.sort"],
    [],
    "LLVM ERROR: Backend constraints are not implemented for op ttnn.sort",
  ],
  // Cores that are not there, or not for programs.
  [
    ["core (9, 0)", "dram_grid_size"],
    ["boards (tt-smi"],
    "No core coordinate found at location: (9, 0, TENSIX, LOGICAL)",
  ],
  [
    ["which no board has", "fewer parts"],
    ["dispatch on Ethernet"],
    "ttnn.split(x)\nRuntimeError: No core coordinate found at location: (255, 7, TENSIX, LOGICAL)",
  ],
  [
    ["core (0, 7)", "(8x7)"],
    [],
    "TT_FATAL: WorkUnitSpec 'a' targets node (0,7), which is out of bounds. The compute worker grid on this device is 8x7.",
  ],
  [
    ["sub_core_grids"],
    ["board that runs it"],
    "TT_FATAL @ /x/tt_metal/impl/program/program.cpp:9: num_intersections == num_cores (Kernel group cores do not match sub device cores for programmable core type TENSIX)",
  ],
  // What differs of two memory configs, in messages as long as they are.
  [
    ["memory DRAM against L1"],
    ["memory layout INTERLEAVED against"],
    "Memory config mismatch, expected MemoryConfig(memory_layout=TensorMemoryLayout::INTERLEAVED,buffer_type=BufferType::DRAM,shard_spec=std::nullopt,nd_shard_spec=std::nullopt,created_with_nd_shard_spec=0), got MemoryConfig(memory_layout=TensorMemoryLayout::INTERLEAVED,buffer_type=BufferType::L1,shard_spec=std::nullopt,nd_shard_spec=std::nullopt,created_with_nd_shard_spec=0)",
  ],
  // A remedy that the message names.
  [
    ["as the message says: reduce the number of inputs or the leading dims"],
    ["Kernels, their arguments"],
    "TT_FATAL @ /x/ttnn/cpp/ttnn/operations/data_movement/concat/device/x.cpp:2: a <= b\ninfo:\nToo many transfers per core (96, max 64 per RISC). Reduce the number of inputs or the leading dims.",
  ],
  // On a mesh, what a trace captured has the shapes of one chip.
  [["one chip's part"], [], "TT_FATAL: Host tensor has different shape (assert.hpp:104)"],
  // What tt-metal checks is of no compiler.
  [[], ["no lowering"], "TT_THROW: Unsupported op for row broadcasts"],
];

Deno.test("refusals at compile time and cores that are not there are told with what helps", () => {
  for (const [holds, lacks, text] of ANSWERS) {
    const answer = said(text);
    for (const held of holds) assertStringIncludes(answer, held, text);
    for (const lacked of lacks) assert(!answer.includes(lacked), `${lacked}\nin\n${answer}`);
    assertEquals(readRuntimeLog(text).length, 1, text);
  }
});
