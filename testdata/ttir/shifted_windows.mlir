// Attention in shifted windows of 5x5 pixels, with a bias of relative positions and a mask of windows.
module {
  func.func @main(
    %arg0: tensor<1x100x64xf32> {ttcore.argument_type = #ttcore.argument_type<input>},
    %arg1: tensor<64xf32> {ttcore.argument_type = #ttcore.argument_type<parameter>},
    %arg2: tensor<64xf32> {ttcore.argument_type = #ttcore.argument_type<parameter>},
    %arg3: tensor<192x64xf32> {ttcore.argument_type = #ttcore.argument_type<parameter>},
    %arg4: tensor<192xf32> {ttcore.argument_type = #ttcore.argument_type<parameter>},
    %arg5: tensor<625xui32> {ttcore.argument_type = #ttcore.argument_type<constant>},
    %arg6: tensor<16x2xf32> {ttcore.argument_type = #ttcore.argument_type<parameter>},
    %arg7: tensor<4x25x25xf32> {ttcore.argument_type = #ttcore.argument_type<constant>},
    %arg8: tensor<64x64xf32> {ttcore.argument_type = #ttcore.argument_type<parameter>},
    %arg9: tensor<64xf32> {ttcore.argument_type = #ttcore.argument_type<parameter>}
  ) -> tensor<1x100x64xf32> {
    %0 = "ttir.layer_norm"(%arg0, %arg1, %arg2) <{epsilon = 1.000000e-05 : f32, normalized_shape = array<i64: 64>, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<1x100x64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<1x100x64xf32>
    %1 = "ttir.reshape"(%0) <{shape = [1 : i32, 10 : i32, 10 : i32, 64 : i32]}> : (tensor<1x100x64xf32>) -> tensor<1x10x10x64xf32>
    %2 = "ttir.slice_static"(%1) <{begins = [0 : i32, 2 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 10 : i32, 10 : i32, 64 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (tensor<1x10x10x64xf32>) -> tensor<1x8x10x64xf32>
    %3 = "ttir.slice_static"(%1) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 2 : i32, 10 : i32, 64 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (tensor<1x10x10x64xf32>) -> tensor<1x2x10x64xf32>
    %4 = "ttir.concat"(%2, %3) <{dim = 1 : si32}> : (tensor<1x8x10x64xf32>, tensor<1x2x10x64xf32>) -> tensor<1x10x10x64xf32>
    %5 = "ttir.reshape"(%4) <{shape = [1 : i32, 2 : i32, 5 : i32, 2 : i32, 5 : i32, 64 : i32]}> : (tensor<1x10x10x64xf32>) -> tensor<1x2x5x2x5x64xf32>
    %6 = "ttir.permute"(%5) <{permutation = array<i64: 0, 1, 3, 2, 4, 5>}> : (tensor<1x2x5x2x5x64xf32>) -> tensor<1x2x2x5x5x64xf32>
    %7 = "ttir.reshape"(%6) <{shape = [4 : i32, 25 : i32, 64 : i32]}> : (tensor<1x2x2x5x5x64xf32>) -> tensor<4x25x64xf32>
    %8 = "ttir.reshape"(%7) <{shape = [100 : i32, 64 : i32]}> : (tensor<4x25x64xf32>) -> tensor<100x64xf32>
    %9 = "ttir.permute"(%arg3) <{permutation = array<i64: 1, 0>}> : (tensor<192x64xf32>) -> tensor<64x192xf32>
    %10 = "ttir.dot_general"(%8, %9) <{batch_dims_lhs = array<i64>, batch_dims_rhs = array<i64>, contract_dims_lhs = array<i64: 1>, contract_dims_rhs = array<i64: 0>}> : (tensor<100x64xf32>, tensor<64x192xf32>) -> tensor<100x192xf32>
    %11 = "ttir.reshape"(%10) <{shape = [4 : i32, 25 : i32, 192 : i32]}> : (tensor<100x192xf32>) -> tensor<4x25x192xf32>
    %12 = "ttir.reshape"(%arg4) <{shape = [1 : i32, 1 : i32, 192 : i32]}> : (tensor<192xf32>) -> tensor<1x1x192xf32>
    %13 = "ttir.broadcast"(%12) <{broadcast_dimensions = array<i64: 4, 25, 1>}> : (tensor<1x1x192xf32>) -> tensor<4x25x192xf32>
    %14 = "ttir.add"(%11, %13) : (tensor<4x25x192xf32>, tensor<4x25x192xf32>) -> tensor<4x25x192xf32>
    %15 = "ttir.reshape"(%14) <{shape = [4 : i32, 25 : i32, 3 : i32, 2 : i32, 32 : i32]}> : (tensor<4x25x192xf32>) -> tensor<4x25x3x2x32xf32>
    %16 = "ttir.permute"(%15) <{permutation = array<i64: 2, 0, 3, 1, 4>}> : (tensor<4x25x3x2x32xf32>) -> tensor<3x4x2x25x32xf32>
    %17 = "ttir.slice_static"(%16) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 4 : i32, 2 : i32, 25 : i32, 32 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (tensor<3x4x2x25x32xf32>) -> tensor<1x4x2x25x32xf32>
    %18 = "ttir.reshape"(%17) <{shape = [4 : i32, 2 : i32, 25 : i32, 32 : i32]}> : (tensor<1x4x2x25x32xf32>) -> tensor<4x2x25x32xf32>
    %19 = "ttir.slice_static"(%16) <{begins = [1 : i32, 0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [2 : i32, 4 : i32, 2 : i32, 25 : i32, 32 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (tensor<3x4x2x25x32xf32>) -> tensor<1x4x2x25x32xf32>
    %20 = "ttir.reshape"(%19) <{shape = [4 : i32, 2 : i32, 25 : i32, 32 : i32]}> : (tensor<1x4x2x25x32xf32>) -> tensor<4x2x25x32xf32>
    %21 = "ttir.slice_static"(%16) <{begins = [2 : i32, 0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [3 : i32, 4 : i32, 2 : i32, 25 : i32, 32 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (tensor<3x4x2x25x32xf32>) -> tensor<1x4x2x25x32xf32>
    %22 = "ttir.reshape"(%21) <{shape = [4 : i32, 2 : i32, 25 : i32, 32 : i32]}> : (tensor<1x4x2x25x32xf32>) -> tensor<4x2x25x32xf32>
    %23 = "ttir.constant"() <{value = dense<2.500000e-01> : tensor<4x2x25x32xf32>}> : () -> tensor<4x2x25x32xf32>
    %24 = "ttir.multiply"(%18, %23) : (tensor<4x2x25x32xf32>, tensor<4x2x25x32xf32>) -> tensor<4x2x25x32xf32>
    %25 = "ttir.dot_general"(%24, %20) <{batch_dims_lhs = array<i64: 0, 1>, batch_dims_rhs = array<i64: 0, 1>, contract_dims_lhs = array<i64: 3>, contract_dims_rhs = array<i64: 3>}> : (tensor<4x2x25x32xf32>, tensor<4x2x25x32xf32>) -> tensor<4x2x25x25xf32>
    %26 = "ttir.embedding"(%arg5, %arg6) : (tensor<625xui32>, tensor<16x2xf32>) -> tensor<625x2xf32>
    %27 = "ttir.reshape"(%26) <{shape = [25 : i32, 25 : i32, 2 : i32]}> : (tensor<625x2xf32>) -> tensor<25x25x2xf32>
    %28 = "ttir.permute"(%27) <{permutation = array<i64: 2, 0, 1>}> : (tensor<25x25x2xf32>) -> tensor<2x25x25xf32>
    %29 = "ttir.reshape"(%28) <{shape = [1 : i32, 2 : i32, 25 : i32, 25 : i32]}> : (tensor<2x25x25xf32>) -> tensor<1x2x25x25xf32>
    %30 = "ttir.broadcast"(%29) <{broadcast_dimensions = array<i64: 4, 1, 1, 1>}> : (tensor<1x2x25x25xf32>) -> tensor<4x2x25x25xf32>
    %31 = "ttir.add"(%25, %30) : (tensor<4x2x25x25xf32>, tensor<4x2x25x25xf32>) -> tensor<4x2x25x25xf32>
    %32 = "ttir.reshape"(%31) <{shape = [1 : i32, 4 : i32, 2 : i32, 25 : i32, 25 : i32]}> : (tensor<4x2x25x25xf32>) -> tensor<1x4x2x25x25xf32>
    %33 = "ttir.reshape"(%arg7) <{shape = [1 : i32, 4 : i32, 1 : i32, 25 : i32, 25 : i32]}> : (tensor<4x25x25xf32>) -> tensor<1x4x1x25x25xf32>
    %34 = "ttir.broadcast"(%33) <{broadcast_dimensions = array<i64: 1, 1, 2, 1, 1>}> : (tensor<1x4x1x25x25xf32>) -> tensor<1x4x2x25x25xf32>
    %35 = "ttir.add"(%32, %34) : (tensor<1x4x2x25x25xf32>, tensor<1x4x2x25x25xf32>) -> tensor<1x4x2x25x25xf32>
    %36 = "ttir.reshape"(%35) <{shape = [4 : i32, 2 : i32, 25 : i32, 25 : i32]}> : (tensor<1x4x2x25x25xf32>) -> tensor<4x2x25x25xf32>
    %37 = "ttir.softmax"(%36) <{dimension = 3 : si32, numericStable = true}> : (tensor<4x2x25x25xf32>) -> tensor<4x2x25x25xf32>
    %38 = "ttir.dot_general"(%37, %22) <{batch_dims_lhs = array<i64: 0, 1>, batch_dims_rhs = array<i64: 0, 1>, contract_dims_lhs = array<i64: 3>, contract_dims_rhs = array<i64: 2>}> : (tensor<4x2x25x25xf32>, tensor<4x2x25x32xf32>) -> tensor<4x2x25x32xf32>
    %39 = "ttir.permute"(%38) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<4x2x25x32xf32>) -> tensor<4x25x2x32xf32>
    %40 = "ttir.reshape"(%39) <{shape = [4 : i32, 25 : i32, 64 : i32]}> : (tensor<4x25x2x32xf32>) -> tensor<4x25x64xf32>
    %41 = "ttir.reshape"(%40) <{shape = [100 : i32, 64 : i32]}> : (tensor<4x25x64xf32>) -> tensor<100x64xf32>
    %42 = "ttir.permute"(%arg8) <{permutation = array<i64: 1, 0>}> : (tensor<64x64xf32>) -> tensor<64x64xf32>
    %43 = "ttir.dot_general"(%41, %42) <{batch_dims_lhs = array<i64>, batch_dims_rhs = array<i64>, contract_dims_lhs = array<i64: 1>, contract_dims_rhs = array<i64: 0>}> : (tensor<100x64xf32>, tensor<64x64xf32>) -> tensor<100x64xf32>
    %44 = "ttir.reshape"(%43) <{shape = [4 : i32, 25 : i32, 64 : i32]}> : (tensor<100x64xf32>) -> tensor<4x25x64xf32>
    %45 = "ttir.reshape"(%arg9) <{shape = [1 : i32, 1 : i32, 64 : i32]}> : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %46 = "ttir.broadcast"(%45) <{broadcast_dimensions = array<i64: 4, 25, 1>}> : (tensor<1x1x64xf32>) -> tensor<4x25x64xf32>
    %47 = "ttir.add"(%44, %46) : (tensor<4x25x64xf32>, tensor<4x25x64xf32>) -> tensor<4x25x64xf32>
    %48 = "ttir.reshape"(%47) <{shape = [1 : i32, 2 : i32, 2 : i32, 5 : i32, 5 : i32, 64 : i32]}> : (tensor<4x25x64xf32>) -> tensor<1x2x2x5x5x64xf32>
    %49 = "ttir.permute"(%48) <{permutation = array<i64: 0, 1, 3, 2, 4, 5>}> : (tensor<1x2x2x5x5x64xf32>) -> tensor<1x2x5x2x5x64xf32>
    %50 = "ttir.reshape"(%49) <{shape = [1 : i32, 10 : i32, 10 : i32, 64 : i32]}> : (tensor<1x2x5x2x5x64xf32>) -> tensor<1x10x10x64xf32>
    %51 = "ttir.slice_static"(%50) <{begins = [0 : i32, 8 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 10 : i32, 10 : i32, 64 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (tensor<1x10x10x64xf32>) -> tensor<1x2x10x64xf32>
    %52 = "ttir.slice_static"(%50) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 8 : i32, 10 : i32, 64 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (tensor<1x10x10x64xf32>) -> tensor<1x8x10x64xf32>
    %53 = "ttir.concat"(%51, %52) <{dim = 1 : si32}> : (tensor<1x2x10x64xf32>, tensor<1x8x10x64xf32>) -> tensor<1x10x10x64xf32>
    %54 = "ttir.reshape"(%53) <{shape = [1 : i32, 100 : i32, 64 : i32]}> : (tensor<1x10x10x64xf32>) -> tensor<1x100x64xf32>
    %55 = "ttir.add"(%arg0, %54) : (tensor<1x100x64xf32>, tensor<1x100x64xf32>) -> tensor<1x100x64xf32>
    return %55 : tensor<1x100x64xf32>
  }
}
