// Ops that ttnn 0.81.1 refuses or runs otherwise: shards of no whole tiles that are tilized, an op without a call, a tile
// layout that a reduction of shards does not give back.
#dram = #ttnn.buffer_type<dram>
#l1 = #ttnn.buffer_type<l1>
#rows = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <4x1>, memref<25x64xbf16, #l1>, <height_sharded>, core_ranges = <[#ttnn.core_range<(0,0), (3,0)>]>>
#tiles = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <4x1>, memref<1x2x!ttcore.tile<32x32, bf16>, #l1>, <height_sharded>, core_ranges = <[#ttnn.core_range<(0,0), (3,0)>]>>
#plain = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<4x2x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#column = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <4x1>, memref<1x2x!ttcore.tile<32x32, bf16>, #l1>, <height_sharded>, core_ranges = <[#ttnn.core_range<(0,0), (3,0)>]>>
func.func @main(%arg0: tensor<100x64xbf16, #rows>) -> tensor<100x64xbf16, #plain> {
  %0 = "ttnn.to_layout"(%arg0) : (tensor<100x64xbf16, #rows>) -> tensor<100x64xbf16, #tiles>
  %1 = "ttnn.flip"(%0) <{dim = 0 : i32}> : (tensor<100x64xbf16, #tiles>) -> tensor<100x64xbf16, #tiles>
  %2 = "ttnn.relu"(%1) : (tensor<100x64xbf16, #tiles>) -> tensor<100x64xbf16, #plain>
  return %2 : tensor<100x64xbf16, #plain>
}
