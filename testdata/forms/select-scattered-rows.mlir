// cache.at[users, heads, positions].set(rows) of JAX: 32 users, 8 heads, 1,024 positions.
#dram = #ttnn.buffer_type<dram>
#ttnn_layout_1x262144x8_bf16 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 262144 + d1, d2), <1x1>, memref<8192x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout_1x256x8_bf16 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 256 + d1, d2), <1x1>, memref<8x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout_1x32_si32 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!ttcore.tile<32x32, si32>, #dram>, <interleaved>>
#ttnn_layout_32_si32 = #ttnn.ttnn_layout<(d0) -> (0, d0), <1x1>, memref<1x1x!ttcore.tile<32x32, si32>, #dram>, <interleaved>>
#ttnn_layout_1x1_si32 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!ttcore.tile<32x32, si32>, #dram>, <interleaved>>
#ttnn_layout_1x32x1_si32 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 32 + d1, d2), <1x1>, memref<1x1x!ttcore.tile<32x32, si32>, #dram>, <interleaved>>
#ttnn_layout_1x1x8_si32 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 32 + d1, d2), <1x1>, memref<1x1x!ttcore.tile<32x32, si32>, #dram>, <interleaved>>
#ttnn_layout_1x32x8_si32 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 32 + d1, d2), <1x1>, memref<1x1x!ttcore.tile<32x32, si32>, #dram>, <interleaved>>
#ttnn_layout_1x256x1_si32 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 256 + d1, d2), <1x1>, memref<8x1x!ttcore.tile<32x32, si32>, #dram>, <interleaved>>
#ttnn_layout_1x256x8_si32 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 256 + d1, d2), <1x1>, memref<8x1x!ttcore.tile<32x32, si32>, #dram>, <interleaved>>
module {
  func.func @main(%t: tensor<1x262144x8xbf16, #ttnn_layout_1x262144x8_bf16>, %r: tensor<1x256x8xbf16, #ttnn_layout_1x256x8_bf16>, %p: tensor<1x32xsi32, #ttnn_layout_1x32_si32>) -> tensor<1x262144x8xbf16, #ttnn_layout_1x262144x8_bf16> {
    %d = "ttnn.get_device"() <{mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
    %n = "ttnn.arange"(%d) <{start = 0 : si64, end = 32 : si64, step = 1 : si64}> : (!ttnn.device) -> tensor<32xsi32, #ttnn_layout_32_si32>
    %f = "ttnn.full"(%d) <{fill_value = 8192 : i32, shape = #ttnn.shape<1x1>}> : (!ttnn.device) -> tensor<1x1xsi32, #ttnn_layout_1x1_si32>
    %0 = "ttnn.reshape"(%n) <{shape = [1 : i32, 32 : i32]}> : (tensor<32xsi32, #ttnn_layout_32_si32>) -> tensor<1x32xsi32, #ttnn_layout_1x32_si32>
    %1 = "ttnn.multiply"(%0, %f) : (tensor<1x32xsi32, #ttnn_layout_1x32_si32>, tensor<1x1xsi32, #ttnn_layout_1x1_si32>) -> tensor<1x32xsi32, #ttnn_layout_1x32_si32>
    %2 = "ttnn.add"(%1, %p) : (tensor<1x32xsi32, #ttnn_layout_1x32_si32>, tensor<1x32xsi32, #ttnn_layout_1x32_si32>) -> tensor<1x32xsi32, #ttnn_layout_1x32_si32>
    %3 = "ttnn.reshape"(%2) <{shape = [1 : i32, 32 : i32, 1 : i32]}> : (tensor<1x32xsi32, #ttnn_layout_1x32_si32>) -> tensor<1x32x1xsi32, #ttnn_layout_1x32x1_si32>
    %4 = "ttnn.constant"(%d) <{value = dense<[[[0, 1024, 2048, 3072, 4096, 5120, 6144, 7168]]]> : tensor<1x1x8xsi32>}> : (!ttnn.device) -> tensor<1x1x8xsi32, #ttnn_layout_1x1x8_si32>
    %5 = "ttnn.add"(%3, %4) : (tensor<1x32x1xsi32, #ttnn_layout_1x32x1_si32>, tensor<1x1x8xsi32, #ttnn_layout_1x1x8_si32>) -> tensor<1x32x8xsi32, #ttnn_layout_1x32x8_si32>
    %6 = "ttnn.reshape"(%5) <{shape = [1 : i32, 256 : i32, 1 : i32]}> : (tensor<1x32x8xsi32, #ttnn_layout_1x32x8_si32>) -> tensor<1x256x1xsi32, #ttnn_layout_1x256x1_si32>
    %7 = "ttnn.repeat"(%6) <{repeat_dims = #ttnn.shape<1x1x128>}> : (tensor<1x256x1xsi32, #ttnn_layout_1x256x1_si32>) -> tensor<1x256x8xsi32, #ttnn_layout_1x256x8_si32>
    %8 = "ttnn.scatter"(%t, %7, %r) <{dim = 1 : si32, scatter_reduce_type = #ttcore.reduce_type<invalid>}> : (tensor<1x262144x8xbf16, #ttnn_layout_1x262144x8_bf16>, tensor<1x256x8xsi32, #ttnn_layout_1x256x8_si32>, tensor<1x256x8xbf16, #ttnn_layout_1x256x8_bf16>) -> tensor<1x262144x8xbf16, #ttnn_layout_1x262144x8_bf16>
    return %8 : tensor<1x262144x8xbf16, #ttnn_layout_1x262144x8_bf16>
  }
}
