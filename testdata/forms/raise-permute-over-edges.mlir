// A block of CycleGAN: a convolution of an image whose edges are reflected.
module {
  func.func @main(%x: tensor<1x256x64x64xbf16>, %w: tensor<256x256x3x3xbf16> {ttcore.argument_type = #ttcore.argument_type<parameter>}) -> tensor<1x256x64x64xbf16> {
    %t = "ttir.slice_static"(%x) <{begins = [0 : i32, 0 : i32, 1 : i32, 0 : i32], ends = [1 : i32, 256 : i32, 2 : i32, 64 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (tensor<1x256x64x64xbf16>) -> tensor<1x256x1x64xbf16>
    %b = "ttir.slice_static"(%x) <{begins = [0 : i32, 0 : i32, 62 : i32, 0 : i32], ends = [1 : i32, 256 : i32, 63 : i32, 64 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (tensor<1x256x64x64xbf16>) -> tensor<1x256x1x64xbf16>
    %r = "ttir.concat"(%t, %x, %b) <{dim = 2 : si32}> : (tensor<1x256x1x64xbf16>, tensor<1x256x64x64xbf16>, tensor<1x256x1x64xbf16>) -> tensor<1x256x66x64xbf16>
    %l = "ttir.slice_static"(%r) <{begins = [0 : i32, 0 : i32, 0 : i32, 1 : i32], ends = [1 : i32, 256 : i32, 66 : i32, 2 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (tensor<1x256x66x64xbf16>) -> tensor<1x256x66x1xbf16>
    %e = "ttir.slice_static"(%r) <{begins = [0 : i32, 0 : i32, 0 : i32, 62 : i32], ends = [1 : i32, 256 : i32, 66 : i32, 63 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (tensor<1x256x66x64xbf16>) -> tensor<1x256x66x1xbf16>
    %p = "ttir.concat"(%l, %r, %e) <{dim = 3 : si32}> : (tensor<1x256x66x1xbf16>, tensor<1x256x66x64xbf16>, tensor<1x256x66x1xbf16>) -> tensor<1x256x66x66xbf16>
    %y = "ttir.conv2d"(%p, %w) <{batch_dim = 0 : i64, channel_dim = 1 : i64, dilation = array<i32: 1, 1>, groups = 1 : i32, height_dim = 2 : i64, padding = array<i32: 0, 0, 0, 0>, stride = array<i32: 1, 1>, width_dim = 3 : i64}> : (tensor<1x256x66x66xbf16>, tensor<256x256x3x3xbf16>) -> tensor<1x256x64x64xbf16>
    return %y : tensor<1x256x64x64xbf16>
  }
}
