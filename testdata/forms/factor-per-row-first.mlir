// A layer norm of 2,048 rows as Flax spells it: its weight is multiplied by the reciprocal deviation first.
#dram = #ttnn.buffer_type<dram>
#ttnn_layout_1x2048x1024_bf16 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 2048 + d1, d2), <1x1>, memref<64x32x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#ttnn_layout_1x1x1024_f32 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 32 + d1, d2), <1x1>, memref<1x32x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>
#ttnn_layout_1024_f32 = #ttnn.ttnn_layout<(d0) -> (0, d0), <1x1>, memref<1x32x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>
#ttnn_layout_1x1x1_f32 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 32 + d1, d2), <1x1>, memref<1x1x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>
#ttnn_layout_1x2048x1024_f32 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 2048 + d1, d2), <1x1>, memref<64x32x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>
#ttnn_layout_1x2048x1_f32 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 2048 + d1, d2), <1x1>, memref<64x1x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>
module {
  func.func @main(%a: tensor<1x2048x1024xbf16, #ttnn_layout_1x2048x1024_bf16>, %g: tensor<1x1x1024xf32, #ttnn_layout_1x1x1024_f32> {ttcore.argument_type = #ttcore.argument_type<parameter>}, %b: tensor<1x1x1024xf32, #ttnn_layout_1x1x1024_f32> {ttcore.argument_type = #ttcore.argument_type<parameter>}, %w: tensor<1024xf32, #ttnn_layout_1024_f32> {ttcore.argument_type = #ttcore.argument_type<parameter>}) -> tensor<1x2048x1024xbf16, #ttnn_layout_1x2048x1024_bf16> {
    %d = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
    %e = "ttnn.full"(%d) <{fill_value = 1.000000e-03 : f32, shape = #ttnn.shape<1x1x1>}> : (!ttnn.device) -> tensor<1x1x1xf32, #ttnn_layout_1x1x1_f32>
    %x = "ttnn.typecast"(%a) : (tensor<1x2048x1024xbf16, #ttnn_layout_1x2048x1024_bf16>) -> tensor<1x2048x1024xf32, #ttnn_layout_1x2048x1024_f32>
    %m = "ttnn.mean"(%x) <{dim_arg = [2 : i32], keep_dim = true}> : (tensor<1x2048x1024xf32, #ttnn_layout_1x2048x1024_f32>) -> tensor<1x2048x1xf32, #ttnn_layout_1x2048x1_f32>
    %c = "ttnn.subtract"(%x, %m) : (tensor<1x2048x1024xf32, #ttnn_layout_1x2048x1024_f32>, tensor<1x2048x1xf32, #ttnn_layout_1x2048x1_f32>) -> tensor<1x2048x1024xf32, #ttnn_layout_1x2048x1024_f32>
    %s = "ttnn.multiply"(%c, %c) : (tensor<1x2048x1024xf32, #ttnn_layout_1x2048x1024_f32>, tensor<1x2048x1024xf32, #ttnn_layout_1x2048x1024_f32>) -> tensor<1x2048x1024xf32, #ttnn_layout_1x2048x1024_f32>
    %v = "ttnn.mean"(%s) <{dim_arg = [2 : i32], keep_dim = true}> : (tensor<1x2048x1024xf32, #ttnn_layout_1x2048x1024_f32>) -> tensor<1x2048x1xf32, #ttnn_layout_1x2048x1_f32>
    %q = "ttnn.add"(%v, %e) : (tensor<1x2048x1xf32, #ttnn_layout_1x2048x1_f32>, tensor<1x1x1xf32, #ttnn_layout_1x1x1_f32>) -> tensor<1x2048x1xf32, #ttnn_layout_1x2048x1_f32>
    %t = "ttnn.rsqrt"(%q) : (tensor<1x2048x1xf32, #ttnn_layout_1x2048x1_f32>) -> tensor<1x2048x1xf32, #ttnn_layout_1x2048x1_f32>
    %n = "ttnn.multiply"(%t, %g) : (tensor<1x2048x1xf32, #ttnn_layout_1x2048x1_f32>, tensor<1x1x1024xf32, #ttnn_layout_1x1x1024_f32>) -> tensor<1x2048x1024xf32, #ttnn_layout_1x2048x1024_f32>
    %r = "ttnn.multiply"(%c, %n) : (tensor<1x2048x1024xf32, #ttnn_layout_1x2048x1024_f32>, tensor<1x2048x1024xf32, #ttnn_layout_1x2048x1024_f32>) -> tensor<1x2048x1024xf32, #ttnn_layout_1x2048x1024_f32>
    %o = "ttnn.add"(%b, %r) : (tensor<1x1x1024xf32, #ttnn_layout_1x1x1024_f32>, tensor<1x2048x1024xf32, #ttnn_layout_1x2048x1024_f32>) -> tensor<1x2048x1024xf32, #ttnn_layout_1x2048x1024_f32>
    %z = "ttnn.typecast"(%o) : (tensor<1x2048x1024xf32, #ttnn_layout_1x2048x1024_f32>) -> tensor<1x2048x1024xbf16, #ttnn_layout_1x2048x1024_bf16>
    return %z : tensor<1x2048x1024xbf16, #ttnn_layout_1x2048x1024_bf16>
  }
}
