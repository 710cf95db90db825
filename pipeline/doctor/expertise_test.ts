// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { EXPERTISE, expertiseOn } from "./expertise.ts";
import { AT, failuresIn, LEGALIZE, said } from "./testing/answers.ts";

const MORE_ANSWERS: readonly (readonly [answer: string, text: string])[] = Deno.readTextFileSync(
  new URL("./testing/expertise_answers.jsonl", import.meta.url),
).trimEnd().split("\n").map((line) => JSON.parse(line));

/** What has to be in the answer to a message. */
const ANSWERS: readonly (readonly [answer: string, text: string])[] = [
  [
    "at most 1 KB of arguments",
    "FATAL | 32KB runtime args targeting kernel reader_concat_interleaved_start_id on (x=0,y=0) are too large. Max allowable size is 1 KB.",
  ],
  ["which is 0 where no config", "ttnn.rms_norm on a sharded tensor\nRuntimeError: Floating point exception"],
  [
    "in one column of cores only",
    `${AT}/matmul/device/matmul_op.cpp:9: grid.bounding_box().start_coord.x == grid.bounding_box().end_coord.x\ninfo:\nMatmulMultiCoreReuseMultiCastProgramConfig: HEIGHT_SHARDED input A must be on a single column, got 0 to 5`,
  ],
  [
    "opened with l1_small_size",
    "TT_FATAL: L1 small region is not configured: halo needs 4096 B, l1_small_size is 0",
  ],
  [
    "10x8 against 8x8",
    "TT_FATAL: Tensor shard grid [(x=0,y=0) - (x=9,y=7)] exceeds device compute grid 8x8",
  ],
  [
    "multiples of 16 bytes in L1",
    "error: OperationValidationAndFallback: Operation ttnn.max_pool2d failed validation, original error: TT_FATAL: Shard page size must currently have L1 aligned page size. No fallback configuration worked (tested 8 combinations).",
  ],
  [
    "of the build or of the system\none of the system (libpython3.N",
    "ImportError: libhwloc.so.15: cannot open shared object file: No such file or directory",
  ],
  ["shows its Entrypoint", 'error: exec: "--model": executable file not found in $PATH'],
  [
    "which reads it from the device by itself",
    "RuntimeError: TT_THROW @ /x/pytensor.cpp:4: tt::exception\ninfo:\nTensor with DeviceStorage cannot be converted to torch",
  ],
  [
    "stands in the lines below",
    "E RuntimeError: TT_THROW @ /x/ttnn/cpp/ttnn/tensor/tensor.hpp:2: tt::exception",
  ],
  [
    "the host: ttnn.from_device",
    'TT_ASSERT @ /x/tensor.cpp:2: x.storage_type() == StorageType::OWNED or x.storage_type() == StorageType::BORROWED && "Tensor must be on host for padding"',
  ],
  [
    "made by ttnn.from_torch of a torch tensor",
    "RuntimeError: TT_THROW @ /x/ttnn/core/tensor/tensor.cpp:2: tt::exception\ninfo:\nUnsupported data type: DataType::UINT32",
  ],
  [
    "which opens a device",
    "PLEASE submit a bug report to https://x.y and include the crash backtrace.\nStack dump:\n0.\tProgram arguments: /x/ttmlir-opt --pipeline=enable-optimizer=true a.mlir",
  ],
  ["along some dimensions only", "ttnn.sum(x, dim=-3)\nRuntimeError: Unsupported dim"],
  [
    "the bias as 1xN",
    "  y = ttnn.linear(x, self.weight, bias=self.bias)\nE RuntimeError: TT_THROW @ /x/shape_base.cpp:4: tt::exception\nE info:\nE ShapeBase[] index out of range. 1 not in [-4, 1)",
  ],
  [
    "permute the operand so that dim is the last one",
    `${AT}/reduction/topk/topk.cpp:9: result[0].get_logical_shape() == final_lshape`,
  ],
  [
    "Here it is SomePattern, a part",
    "PLEASE submit a bug report to https://x.y and include the crash backtrace.\nStack dump:\n0.\tProgram arguments: ttmlir-opt a.mlir\n #0 0x56 llvm::sys::PrintStackTrace(llvm::raw_ostream&)\n #3 0x57 (anonymous namespace)::SomePattern::matchAndRewrite(mlir::Op)",
  ],
  ["Here it is SomeFusing, a part", "Segmentation fault\n #9 SomeFusing::matchAndRewrite Fusing.cpp:30"],
  ["no types of 64 bits", `${LEGALIZE} 'ttir.typecast'`],
  ["1xHxWx1", `${LEGALIZE} 'ttir.pooling' that was explicitly marked illegal`],
  ["model.eval()", `${LEGALIZE} 'stablehlo.batch_norm_training'`],
  ["flip it on the host", `${LEGALIZE} 'ttir.reverse' that was explicitly marked illegal`],
  ["batch_group_count", `${LEGALIZE} 'ttir.convolution' that was explicitly marked illegal`],
  ["one-hot", `${LEGALIZE} 'stablehlo.scatter'`],
  ["shapes have to be static", `${LEGALIZE} 'stablehlo.dynamic_iota'`],
  ["knows its target", `${LEGALIZE} 'stablehlo.custom_call'`],
  ["unroll the loop", `${LEGALIZE} 'stablehlo.while'`],
  [
    "32 times those of [1, 1, 32, 32]",
    "RuntimeError: shape '[1, 1, 32, 32]' is invalid for input of size 32768",
  ],
  ["no kernel for it", `${LEGALIZE} 'stablehlo.fft'`],
  ["sorts of one operand", `${LEGALIZE} 'stablehlo.sort'`],
  ["Shardy's export turns it back", `${LEGALIZE} 'sdy.some_op' that was explicitly marked illegal`],
  ["reductions by sum", `${LEGALIZE} 'stablehlo.reduce'`],
  [
    "model.eval()",
    'assert is_first(node), "non-training batch_norm should only have first return value used"',
  ],
  [
    "permute the operand so that dim is the last one",
    "ttnn.sort fails:\n1:2 | critical | Always | Output tensor transformation did not create the shape: [64], expected: [1] (assert.hpp:1)",
  ],
  [
    "a typecast of operand a to bf16",
    `${AT}/moreh/moreh_softmax/device/moreh_softmax_op.cpp:9: a.dtype() == DataType::BFLOAT16`,
  ],
  [
    "whole numbers above 256",
    `${AT}/reduction/argmax/device/argmax_op.cpp:5: a.dtype() == DataType::BFLOAT16`,
  ],
  [
    "a to_layout of the indices to ROW_MAJOR",
    `${AT}/embedding/embedding.cpp:3: a.layout() == ttnn::ROW_MAJOR_LAYOUT\ninfo:\nIndices must be in rows`,
  ],
  [
    "no ttnn.pad of each operand",
    `${AT}/data_movement/concat/device/concat_op.cpp:9: (shape[dim] * a.element_size()) % alignment == 0\ninfo:\nrows must be aligned`,
  ],
  [
    "a typecast of operand a to bf16",
    `${AT}/data_movement/tilize/device/tilize_op.cpp:6: a.dtype() == DataType::BFLOAT16\ninfo:\ndata type must be bfloat16`,
  ],
  [
    "(B^T A^T)^T",
    `${AT}/matmul/matmul.cpp:7: tt::exception\ninfo:\nWhen in1 has a larger rank, its front dimensions need to be 1`,
  ],
  ["1x1x1xN", `${AT}/reduction/argmax/device/argmax_op.cpp:48: input_shape[1] == 1\ninfo:\ndim 1 must be 1`],
  ["96 is not 64", "Attempting to reshape between two shapes with different volumes: 96 and 64"],
  [
    "10240 is 2 x 5120",
    "all_gather_minimal_matmul_async inner dimensions must match, got K=10240 and K_w=5120",
  ],
  [
    "transpose_a or transpose_b",
    `${AT}/matmul/device/matmul_op.cpp:9: a_shape[-1] == b_shape[-2]\ninfo:\nThe width of the first tensor must be equal to the height of the second tensor`,
  ],
  [
    "create_group_norm_weight_bias_rm",
    `${AT}/normalization/groupnorm/device/groupnorm_op.cpp:4: a.shape()[3] == gamma.value().shape()[3]\ninfo:\n256 != 32`,
  ],
  [
    "192 to 256",
    `${AT}/pool/maxpool/device/max_pool.cpp:3: is_pow2\ninfo:\nRow size (192) should be power of 2 (false).`,
  ],
  ["words of 4 bytes", "Can only unpad to row major tensor of even width"],
  [
    "107748 bytes are no whole number of 2156",
    "RuntimeError: TT_FATAL @ ../tt_metal/impl/buffers/buffer.cpp:38: valid_page_size\ninfo:\nFor valid non-interleaved buffers page size 2156 must equal buffer size 107748. For interleaved-buffers page size should be divisible by buffer size",
  ],
  [
    "with fused_activation, and no activation argument",
    "Sharded matmul run with UnaryOpType::SILU activation: this should be placed in the program config's fused_activation field",
  ],
  [
    "in_place_halo = False",
    "260 unique+common runtime args targeting kernel halo_gather_in_place on (x=0,y=0) are too large. Max allowable is 256",
  ],
  [
    "one device's extent times the devices of that axis",
    `${AT}/ccl/reduce_scatter/device/x.cpp:3: a.get_padded_shape()[dim] == b.get_padded_shape()[dim] * ring_size`,
  ],
  [
    "in rows, which have no padding",
    `${AT}/data_movement/concat/device/concat_op.cpp:5: !a.get_shape().has_tile_padding(this->dim)\ninfo:\nTile padding along concatenated dim (3) not supported for concat yet`,
  ],
  [
    "in steps: to_layout TILE",
    "Currently ttnn.to_layout does not support device to device typecast for input layout: ROW_MAJOR",
  ],
  [
    "from 40 to 64",
    `${AT}/transformer/split_query_key_value_and_split_heads/x.cpp:1: head_size % TILE_WIDTH == 0\ninfo:\nHead size must be a multiple of 32! Found 40!`,
  ],
  [
    "k_chunk_size",
    `${AT}/transformer/sdpa/device/sdpa_op.cpp:1: Sk % k_chunk_size == 0\ninfo:\nK sequence length must be multiple of chunk size, got: 160 and 128`,
  ],
  [
    "LayerNormShardedMultiCoreProgramConfig with the grid",
    "LayerNormMultiCoreProgramConfig is used with sharded input. Please use another one",
  ],
  [
    "one user per core",
    `${AT}/kv_cache/device/update_cache_op.cpp:1: input_tensor.is_sharded()\ninfo:\nExpect input_tensor to be sharded`,
  ],
  ["write the whole shard spec", "Shard height 0 must match physical height 32 for width sharded"],
  [
    "leave the to_device out",
    'Assertion `onHost(t) && "Calling ttnn::to_device on a device tensor"\' failed.',
  ],
  [
    "ttnn.to_device",
    `${AT}/data_movement/slice/slice.cpp:8: no_step\ninfo:\nHost tensor slice does not support strides`,
  ],
  ["keep it as 1xN", "Alignment should have at least 2 dimensions for Tile layout"],
  [
    "as many entries as the operand has dimensions in dims",
    `${AT}/data_movement/permute/permute.cpp:1: rank == dims.size()\ninfo:\nThe number of dimensions does not match the ordering`,
  ],
  [
    "memory dram against l1, memory layout interleaved against block sharded",
    "error: type of return operand 0 ('tensor<64x64xbf16, <memref<2x2x!ttcore.tile<32x32>, #ttnn.buffer_type<dram>>, <interleaved>>') doesn't match function result type ('tensor<64x64xbf16, <memref<1x1x!ttcore.tile<32x32>, #ttnn.buffer_type<l1>>, <block_sharded>>')",
  ],
  [
    "in front of the return",
    "error: type of return operand 0 ('tensor<1xf32>') doesn't match function result type ('tensor<1xbf16>')",
  ],
  [
    "multiple of the devices",
    "TT_FATAL @ /x/ttnn/core/distributed/api.cpp:81: a.spec() == b.spec()\ninfo:\nAll tensor shards must have the same tensor spec",
  ],
  ["Topology.Linear", "critical | Always | topology must be Ring or Linear (assert.hpp:103)"],
  ["fewer num_links", "num_links 4 are more links than the mesh has"],
  ["num_links = 1 first", "ttnn.all_gather: TIMEOUT: device timeout, potential hang detected"],
  ["weight and bias in tiles", "Layernorm with row-major gamma hangs device"],
  [
    "in ttrt or at a compiler's start",
    "IndexError: vector::_M_range_check: __n (which is 0) >= this->size() (which is 0)",
  ],
  [
    "must be at most input A shard grid cores of matmul (here 12 and 1)",
    "number of M blocks ceil(M/per_core_M)=12 must not exceed input A shard grid cores (1) of matmul",
  ],
  [
    "names of axes",
    "error: 'sdy.sharding_constraint' op unknown axis name: \"x\"\nFailed to run stablehlo pipeline",
  ],
  [
    "a newer version, or the other partitioner",
    "error: 'ttir.pooling' op expected type of operand #1 ('tensor<16x26xbf16>') to match type of corresponding result ('tensor<16x26xbf16, #tt.mesh_sharding<\"mesh\">>')",
  ],
  [
    "compile for the mesh that runs it",
    "LOG_ASSERT @ /x/runtime/lib/ttnn/operations/creation/full.cpp:86: subMesh.num_devices() == 1",
  ],
  ["for a sharded operand the sharded one", "RuntimeError: std::get: wrong index for variant"],
  [
    "subblock_w that divides block_w",
    `${AT}/normalization/layernorm/device/layernorm_op.cpp:2: block_w % subblock_w == 0\ninfo:\nblock_w must be divisible by subblock_w`,
  ],
  ["interior (dilating)", `${LEGALIZE} 'stablehlo.pad'`],
  ["one contracted dimension", `${LEGALIZE} 'stablehlo.dot_general'`],
  [
    "ttnn.slice for what is cut",
    `${AT}/data_movement/pad/device/pad_op.cpp:42: a + b <= c\ninfo:\nOutput size cannot fit input with offset`,
  ],
  [
    "in rows (to_layout ROW_MAJOR, pad",
    'ttnn.pad fails with error "on device padding does not support front padding"\n x = ttnn.from_torch(y)',
  ],
  [
    "to_layout ROW_MAJOR, pad",
    `${AT}/data_movement/pad/pad.cpp:2: h % ttnn::TILE_SIZE == 0\ninfo:\nttnn.pad: padding end must be a multiple of the tile size`,
  ],
  [
    "a pad of its own before a pool without",
    "RuntimeError: pad should be at most half of effective kernel size, but got pad=6, kernel_size=2 and dilation=1",
  ],
  [
    "which has one kind of memory on the host",
    "TT_THROW @ /x/ttnn/cpp/ttnn/tensor/host_buffer/functions.hpp:58: tt::exception\ninfo:\nTensor must have BorrowedStorage",
  ],
  [
    "join dimensions that stay side by side",
    `${AT}/data_movement/permute/device/permute_device_operation.cpp:2: attributes.dims.back() == tensor_args.input_tensor.get_logical_shape().rank() - 1`,
  ],
  [
    "or ttnn.repeat the one that is broadcast",
    "Broadcasting in `ttnn.add` fails with `buffer size must be divisible by new page size`",
  ],
  [
    "two steps over a shape",
    "ttnn.reshape: Last dimension of the old shape (64) should be divisible by the last dimension of the new shape (2144)",
  ],
  [
    "gives other buffers and blocks",
    `${AT}/normalization/layernorm/device/layernorm_op.cpp:2: in0_t % block_size == 0\ninfo:\nBuffer size in0_t (60) must be divisible by block_size (8)`,
  ],
  [
    "6225920 bytes per core, of 1395424",
    "error: 'func.func' op required L1 memory usage 6225920 exceeds memory capacity 1395424 (usable space is [103712, 1499136))",
  ],
  [
    "must equal the sum (here 3 and 5)",
    "'ttir.concat' op Output dimension 2 does not match the sum: 3 vs. 5.",
  ],
  [
    "ceil_mode",
    "'stablehlo.reduce_window' op inferred type(s) 'tensor<1x55xbf16>' are incompatible with return type(s) of operation 'tensor<1x56xbf16>'",
  ],
  [
    "order of the dimensions",
    "`output doesn't match golden shape! golden_shape=[10, 64, 64, 12], output_shape=[10, 128, 128, 3]`",
  ],
  ["the call without dtype", "dtype cannot be specified when converting to ROW_MAJOR_LAYOUT!"],
  [
    "compute_with_storage_grid_size",
    "TT_FATAL @ /x/tt_metal/impl/program/program.cpp:4: not on_dispatch_core\ninfo:\nKernels cannot be placed on dispatch cores!",
  ],
  [
    "config_tensors_in_dram",
    `${AT}/conv/conv2d/device/conv2d_op.cpp:6: get(cb_info, Conv2dCb::READER_INDICES).page_size >= b->page_size()`,
  ],
  [
    "another operand",
    `${AT}/conv/conv2d/conv2d.cpp:2: act_matrix_width == weight_matrix_height\ninfo:\nThe width of tensor a 512 needs to match the height of tensor b 1024`,
  ],
  [
    "dimension 2 of a tensor that has 2 dimensions",
    "Index is out of bounds for the rank, should be between 0 and 1 however is 2",
  ],
  [
    "which ttnn.gather runs",
    `For a large index (ttnn.gather):\n${AT}/data_movement/reshape_view/reshape.cpp:3: a == b\ninfo:\nreshape between two shapes with different volumes`,
  ],
  [
    "channels padded to 16",
    "ttnn.avg_pool2d(x)\nRuntimeError: TT_FATAL @ /x/ttnn/cpp/ttnn/operations/conv/conv2d/conv2d_utils.cpp:3: channels % num_cores_channels == 0\ninfo:\nChannels: 1, num core channels: 2",
  ],
  ["update_cache or fill_cache", `${LEGALIZE} 'stablehlo.dynamic_update_slice'`],
  [
    "2 GiB at most",
    "/x/flatbuffers/vector_downward.h:146: ensure_space(size_t): Assertion `size() < max_size_' failed.",
  ],
  [
    "32 times those of [1, 1, 32, 32]",
    "RuntimeError: shape '[1, 1, 32, 32]' is invalid for input of size 32768",
  ],
  [
    "dimension -1 of a tensor that has one",
    "Index is out of bounds for the rank, should be between 0 and 0 however is 18446744073709551615",
  ],
  ["does not know these shards", "`ttnn.transpose(x)` returns wrong data when the input is HEIGHT_SHARDED"],
  [
    "too far from the reference",
    "FAILED a/test_layer_norm.py::test_x[dtype=torch.float32-w=64] - AssertionError: Relative Frobenius norm of error 0.013 exceeds threshold 0.01.",
  ],
  ["exist in tiles only", "bfloat8_b tensors must be in tile layout"],
  [
    "to_layout TILE before it",
    `${AT}/x.cpp:6: a.dtype() == b\ninfo:\nDatatype conversion is only supported for tilized tensors`,
  ],
  ["on one device leave the collective out", "all_gather op will only work for num_devices > 1, but has 1"],
  [
    "per_core_N of at least 1",
    "/x/ttnn/cpp/ttnn/operations/matmul/device/matmul_op.cpp:7: config.per_core_N > 0",
  ],
  [
    "must be at most num_rows (here 8 and 7)",
    "Num output blocks along y 8 must be smaller than or equal to the number of rows in compute grid 7",
  ],
  [
    "the same number of dimensions for operand a and start",
    `${AT}/data_movement/slice/device/slice_op.cpp:95: a.rank() == start.rank()`,
  ],
  ["computed 0 for something", "*** Process received signal ***\nSignal: Floating point exception (8)"],
  ["without a buffer", "*** Process received signal ***\nSignal: Segmentation fault (11)"],
  ["run this op alone", "`ttnn.conv2d` produces incorrect results"],
  ["numeric_stable", "`ttnn.softmax` returns garbage with 3 heads"],
  [
    "disable_and_clear_program_cache",
    "TT_FATAL @ tt_metal/impl/kernels/kernel.cpp:5: x < core_to_runtime_args_.size()\ninfo:\nCannot get runtime args for kernel reader_concat that is not placed on core 0-4",
  ],
  ["divisor", "avg pool 2d fails: the maximum number of runtime arguments, which is 256, is exceeded"],
  ["behind end_trace_capture", "TT_FATAL: Event Synchronization is not supported during trace capture."],
  [
    "A view keeps the buffer",
    `${AT}/x.cpp:4: a % b == 0\ninfo:\nbuffer size must be divisible by new page size`,
  ],
  [
    "a multiple of 8",
    "critical | Always | TT_FATAL: page table stick size must be a multiple of 32 (assert.hpp:1)",
  ],
  [
    "the activation tensor with 1 in dimension 0: call the op for one of them",
    "TT_FATAL: Activation tensor must have batch size 1. got 2204 (assert.hpp:103)",
  ],
  [
    "width shards, which divide the channels",
    "The HEIGHT_SHARDED plan keeps every channel on each core and exceeds Blackhole L1: required 1,684,352 bytes, available 1,572,864 bytes",
  ],
  ["buffers of the mux", "TT_FATAL: Mux L1 memory [base=1,end=9] overlaps with L1 tensor 3 (assert.hpp:1)"],
  [
    "DRAM shards are made on the host",
    "`ttnn.interleaved_to_sharded` fails with\n```\nCannot create CoreRangeSet with specified core ranges because core ranges [(x=3,y=7) - (x=3,y=7)] and [(x=3,y=7) - (x=3,y=7)] overlap!\n```",
  ],
  [
    "gtz",
    `ttnn.gt fails:\n${AT}/eltwise/binary/device/broadcast_program_factory.cpp:27: tt::exception\ninfo:\nBinaryOpType cannot be mapped to BcastOpMath`,
  ],
  ["stride n", "Error in scaling operation upsample_nearest2d: Only integer scale factors are supported"],
  [
    "words of 4 bytes",
    "RuntimeError: TT_FATAL @ /x/tt_metal/impl/buffers/buffer.cpp:41: page_size % sizeof(uint32_t) == 0",
  ],
  [
    "to_layout ROW_MAJOR before it",
    `${AT}/x/tensor_ops.cpp:3: input_tensor.volume() == new_padded_shape.volume()\ninfo:\n229376 != 200704`,
  ],
  [
    "leave axes of size 1 out",
    "`sharding_constraint_tensor` fails in shardy when attempting to shard on a mesh axis with size 1.",
  ],
  [
    "in rows (to_layout ROW_MAJOR, slice, to_layout TILE)",
    `${AT}/data_movement/slice/device/slice_op.cpp:1: a % TILE_HEIGHT == 0\ninfo:\nCan only slice tilized tensor with height begin index aligned to tiles`,
  ],
  [
    "at most the operand's extents",
    `${AT}/data_movement/slice/device/slice_op.cpp:80: this->slice_end[i] <= a.get_legacy_shape()[i]\ninfo:\nEnds 2 must be less than or equal to the shape of the tensor 1`,
  ],
  [
    "concat of concats",
    'concat_s2s_multi_program_factory.cpp:50\nTT_FATAL(num_input_tensors <= cb_dst_id, "Not enough circular buffer for {} inputs.", n)',
  ],
  [
    "channels padded to 16",
    `${AT}/pool/maxpool/device/max_pool2d_multi_core_program_factory.cpp:83: input_shape[3] == 16\ninfo:\nError`,
  ],
  [
    "gamma with 32 in the last dimension but one",
    "TT_FATAL @ ../tt_eager/tt_dnn/op_library/layernorm/layernorm_op.cpp:49: gamma.value().get_legacy_shape()[-2] == TILE_HEIGHT",
  ],
  ["in 1D by newer versions", `${LEGALIZE} 'ttir.convolution' that was explicitly marked illegal`],
  ["no shards in DRAM", "Only L1 buffers can have an associated circular buffer!"],
  ["extents of whole tiles, or rows in place of tiles", `${AT}/x.cpp:1: size != 0 and page_size != 0`],
  [
    "among the last three",
    "TT_FATAL: ttnn::pad only supports padding on the lowest 3 dimensions for rank > 4",
  ],
  ["pass keep_dim to the call", `error: 'ttir.sum' op requires attribute 'keep_dim'`],
  ["-glx_reset", "Device 3 init: failed to initialize FW! Try resetting the board."],
  ["the text (--input-file)", "a.mlir:3:4: error: CHECK-DAG: expected string not found in input"],
  [
    "2x4 is asked for, and 1x1 is there",
    "TT_FATAL: Requested mesh is too big: MeshShape([2, 4]) and SystemMesh MeshShape([1, 1])",
  ],
  ["set TT_SPEC_PATH before the run", "RuntimeError: TT_SPEC_PATH environment variable is not set"],
  ["the device had no part in it", 'Assertion `false && "incorrect fold result type"\' failed.'],
  ["x.contiguous()", "E RuntimeError: Tensor 2 - stride mismatch: expected [64, 1], got [1, 8]"],
  [
    "x.to(torch.int32)",
    "t = ttnn.from_torch(x)\nRuntimeError: TT_THROW @ /x/pytensor.cpp:4: tt::exception\ninfo:\nUnsupported DataType: torch.int64",
  ],
  [
    "and 100 is none of 8",
    "TT_FATAL @ /x/core/distributed/distributed_tensor.cpp:2: a\ninfo:\nCannot shard dimension 3 of size 100 evenly over 8 devices",
  ],
  [
    "at least 3 entries in repeat_dims",
    `${AT}/data_movement/repeat/repeat.cpp:8: repeat_dims.rank() >= rank\ninfo:\nNumber of repeat dims (2) must be >= rank of the input (3)`,
  ],
  [
    "1x4, 2x2, 4x1",
    `${AT}/matmul/device/matmul_op.cpp:1: a * b <= available_reg_count\ninfo:\nout_subblock_w 4 times out_subblock_h 2 needs to be at most 4 to fit in hardware`,
  ],
  [
    "the sides of a shard over 32",
    `${AT}/normalization/layernorm/device/layernorm_op.cpp:1: K / num_cores_c == program_config.block_w * TILE_WIDTH`,
  ],
  ["a donated argument", "XlaRuntimeError: INVALID_ARGUMENT: Hold requested on deleted or donated buffer"],
  [
    "32 times the number of devices",
    `${AT}/ccl/reduce_scatter/device/reduce_scatter_op.cpp:1: shape[dim] % ring_size == 0`,
  ],
  ["with at most 2 dimensions", "error: 'ttnn.embedding' op Input must be of at most rank 2, got rank 3"],
  ["a clean build", "[3/9] Performing patch step for 'x'\nFAILED: [code=5] /a/x-patch"],
  [
    "larger per_core_M (rows, y)",
    `${AT}/matmul/device/x.cpp:1: num_blocks_y <= num_cores\ninfo:\nnumber of M blocks ceil(M/per_core_M)=12 must not exceed input A shard grid cores (1)`,
  ],
  [
    "the bias of the shape [1, 1, 1, 64]",
    "error: 'ttnn.conv2d' op Bias must have a shape of (1, 1, 1, 64), but got (1, 64, 1, 1)",
  ],
  // The width of a rotation and the statistics of other devices are not padded.
  [
    "unfused (slice, neg",
    `${AT}/experimental/transformer/rotary_embedding/device/rotary_embedding_device_operation.cpp:9: input_tensor.padded_shape()[-1] % (TILE_WIDTH * 2) == 0\ninfo:\nInput X dimension (96) must be divisible by 64 for tiling`,
  ],
  [
    "along the last dimension (dim = 3)",
    `fails in ttnn.rms_norm_post_all_gather\n${AT}/normalization/layernorm_distributed/device/layernorm_post_all_gather_op.cpp:4: stats.padded_shape()[2] == a.padded_shape()[2]`,
  ],
  [
    "zeros at the end of the smaller ones",
    `${AT}/transformer/sdpa/device/sdpa_op.cpp:1: k_shape[3] == DH && v_shape[3] == DH\ninfo:\nHidden dimensions must match, got K: 96, V: 64`,
  ],
  ["opened with FABRIC_1D_RING", "TT_FATAL: Partial all-gather requires Ring topology"],
  ...MORE_ANSWERS,
];

Deno.test("those who know an op or a rule answer more than its subject, and every row answers something", () => {
  for (const [answer, text] of ANSWERS) assertStringIncludes(said(text), answer, text);
  const used = new Set(
    ANSWERS.flatMap(([, text]) =>
      failuresIn(text).flatMap((failure) => failure.kind === "failed_check" ? expertiseOn(failure) : [])
    ),
  );
  assertEquals(EXPERTISE.filter((row) => !used.has(row)), [], "rows without a message");
});

Deno.test("parts that do not come out even are told with what they may be, and blocks are not padded", () => {
  assertStringIncludes(
    said("Kt (48) must be divisible by in0_block_w (5)"),
    "in0_block_w = 4, 3 or 2 instead of 5",
  );
  assertStringIncludes(
    said("Sequence must be a multiple of the chunk size, got: 160 and 128"),
    "from 160 to 256",
  );
  assert(!said("num_links must be divisible by 3").includes("is no multiple"));
});

Deno.test("rows of experts answer their own rule, not its neighbours' (refusals of the backend on a mock device)", () => {
  const perCore = said(
    `${AT}/matmul/device/matmul_device_operation.cpp:2: per_core_M == (shard_shape[0] / in0_tile.get_height())\ninfo:\nMatmulMultiCoreReuseMultiCastProgramConfig: per_core_M (2) must equal shard_shape[0] / in0_tile.get_height() (1)`,
  );
  assertStringIncludes(perCore, "per_core_M = 1 instead of 2");
  for (const other of ["another kind than the operand", "Op's own choice of buffer"]) {
    assert(!perCore.includes(other));
  }
  const chunk = said(
    `${AT}/transformer/sdpa/device/sdpa_device_operation.cpp:2: q_chunk_size > 0 && q_chunk_size % tt::constants::TILE_WIDTH == 0\ninfo:\nq_chunk_size must be a positive multiple of TILE_SIZE. Got q_chunk_size: 48, TILE_SIZE: 32`,
  );
  assertStringIncludes(chunk, "q_chunk_size = 32 or 64 instead of 48");
  assert(!chunk.includes("head size"));
});
