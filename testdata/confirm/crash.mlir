// An op over which ttnn 0.81.1 ends its process (a division by zero), between two that run.
#dram = #ttnn.buffer_type<dram>
#l1 = #ttnn.buffer_type<l1>
#heads = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 4096 + d1 * 512 + d2, d3), <1x1>, memref<128x2x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#heads_l1 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 4096 + d1 * 512 + d2, d3), <32x1>, memref<4x2x!ttcore.tile<32x32, bf16>, #l1>, <height_sharded>, core_ranges = <[#ttnn.core_range<(0,0), (7,3)>]>>
#joined_l1 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 512 + d1, d2), <16x1>, memref<1x16x!ttcore.tile<32x32, bf16>, #l1>, <height_sharded>, core_ranges = <[#ttnn.core_range<(0,0), (7,1)>]>>
func.func @main(%heads: tensor<1x8x512x64xbf16, #heads>) -> tensor<1x512x512xbf16, #joined_l1> {
  %sharded = "ttnn.to_memory_config"(%heads) : (tensor<1x8x512x64xbf16, #heads>) -> tensor<1x8x512x64xbf16, #heads_l1>
  %joined = "ttnn.concatenate_heads"(%sharded) : (tensor<1x8x512x64xbf16, #heads_l1>) -> tensor<1x512x512xbf16, #joined_l1>
  %rectified = "ttnn.relu"(%joined) : (tensor<1x512x512xbf16, #joined_l1>) -> tensor<1x512x512xbf16, #joined_l1>
  return %rectified : tensor<1x512x512xbf16, #joined_l1>
}
