// An image decoder: group norms spelled out, a residual, pixels repeated, convolutions.
module {
  func.func @main(
    %arg0: tensor<1x4x4x4xbf16> {ttcore.argument_type = #ttcore.argument_type<input>},
    %arg1: tensor<64x4x3x3xbf16> {ttcore.argument_type = #ttcore.argument_type<parameter>},
    %arg2: tensor<64xbf16> {ttcore.argument_type = #ttcore.argument_type<parameter>},
    %arg3: tensor<64xbf16> {ttcore.argument_type = #ttcore.argument_type<parameter>},
    %arg4: tensor<64xbf16> {ttcore.argument_type = #ttcore.argument_type<parameter>},
    %arg5: tensor<64x64x3x3xbf16> {ttcore.argument_type = #ttcore.argument_type<parameter>},
    %arg6: tensor<64xbf16> {ttcore.argument_type = #ttcore.argument_type<parameter>},
    %arg7: tensor<64x64x3x3xbf16> {ttcore.argument_type = #ttcore.argument_type<parameter>},
    %arg8: tensor<64xbf16> {ttcore.argument_type = #ttcore.argument_type<parameter>},
    %arg9: tensor<64xbf16> {ttcore.argument_type = #ttcore.argument_type<parameter>},
    %arg10: tensor<64xbf16> {ttcore.argument_type = #ttcore.argument_type<parameter>},
    %arg11: tensor<3x64x3x3xbf16> {ttcore.argument_type = #ttcore.argument_type<parameter>},
    %arg12: tensor<3xbf16> {ttcore.argument_type = #ttcore.argument_type<parameter>}
  ) -> tensor<1x3x8x8xbf16> {
    %0 = "ttir.permute"(%arg0) <{permutation = array<i64: 0, 2, 3, 1>}> : (tensor<1x4x4x4xbf16>) -> tensor<1x4x4x4xbf16>
    %1 = "ttir.conv2d"(%0, %arg1) <{dilation = array<i32: 1, 1>, groups = 1 : i32, padding = array<i32: 1, 1, 1, 1>, stride = array<i32: 1, 1>}> : (tensor<1x4x4x4xbf16>, tensor<64x4x3x3xbf16>) -> tensor<1x4x4x64xbf16>
    %2 = "ttir.permute"(%1) <{permutation = array<i64: 0, 3, 1, 2>}> : (tensor<1x4x4x64xbf16>) -> tensor<1x64x4x4xbf16>
    %3 = "ttir.reshape"(%arg2) <{shape = [1 : i32, 64 : i32, 1 : i32, 1 : i32]}> : (tensor<64xbf16>) -> tensor<1x64x1x1xbf16>
    %4 = "ttir.broadcast"(%3) <{broadcast_dimensions = array<i64: 1, 1, 4, 4>}> : (tensor<1x64x1x1xbf16>) -> tensor<1x64x4x4xbf16>
    %5 = "ttir.add"(%2, %4) : (tensor<1x64x4x4xbf16>, tensor<1x64x4x4xbf16>) -> tensor<1x64x4x4xbf16>
    %6 = "ttir.reshape"(%5) <{shape = [1 : i32, 8 : i32, 8 : i32, 16 : i32]}> : (tensor<1x64x4x4xbf16>) -> tensor<1x8x8x16xbf16>
    %7 = "ttir.sum"(%6) <{dim_arg = [2 : i32, 3 : i32], keep_dim = false}> : (tensor<1x8x8x16xbf16>) -> tensor<1x8xbf16>
    %8 = "ttir.constant"() <{value = dense<7.812500e-03> : tensor<1x8xbf16>}> : () -> tensor<1x8xbf16>
    %9 = "ttir.multiply"(%7, %8) : (tensor<1x8xbf16>, tensor<1x8xbf16>) -> tensor<1x8xbf16>
    %10 = "ttir.reshape"(%9) <{shape = [1 : i32, 8 : i32, 1 : i32, 1 : i32]}> : (tensor<1x8xbf16>) -> tensor<1x8x1x1xbf16>
    %11 = "ttir.broadcast"(%10) <{broadcast_dimensions = array<i64: 1, 1, 8, 16>}> : (tensor<1x8x1x1xbf16>) -> tensor<1x8x8x16xbf16>
    %12 = "ttir.subtract"(%6, %11) : (tensor<1x8x8x16xbf16>, tensor<1x8x8x16xbf16>) -> tensor<1x8x8x16xbf16>
    %13 = "ttir.multiply"(%12, %12) : (tensor<1x8x8x16xbf16>, tensor<1x8x8x16xbf16>) -> tensor<1x8x8x16xbf16>
    %14 = "ttir.sum"(%13) <{dim_arg = [2 : i32, 3 : i32], keep_dim = false}> : (tensor<1x8x8x16xbf16>) -> tensor<1x8xbf16>
    %15 = "ttir.constant"() <{value = dense<7.812500e-03> : tensor<1x8xbf16>}> : () -> tensor<1x8xbf16>
    %16 = "ttir.multiply"(%14, %15) : (tensor<1x8xbf16>, tensor<1x8xbf16>) -> tensor<1x8xbf16>
    %17 = "ttir.reshape"(%16) <{shape = [1 : i32, 8 : i32, 1 : i32, 1 : i32]}> : (tensor<1x8xbf16>) -> tensor<1x8x1x1xbf16>
    %18 = "ttir.constant"() <{value = dense<9.765625e-04> : tensor<1x8x1x1xbf16>}> : () -> tensor<1x8x1x1xbf16>
    %19 = "ttir.add"(%17, %18) : (tensor<1x8x1x1xbf16>, tensor<1x8x1x1xbf16>) -> tensor<1x8x1x1xbf16>
    %20 = "ttir.rsqrt"(%19) : (tensor<1x8x1x1xbf16>) -> tensor<1x8x1x1xbf16>
    %21 = "ttir.broadcast"(%20) <{broadcast_dimensions = array<i64: 1, 1, 8, 16>}> : (tensor<1x8x1x1xbf16>) -> tensor<1x8x8x16xbf16>
    %22 = "ttir.multiply"(%12, %21) : (tensor<1x8x8x16xbf16>, tensor<1x8x8x16xbf16>) -> tensor<1x8x8x16xbf16>
    %23 = "ttir.reshape"(%22) <{shape = [1 : i32, 64 : i32, 4 : i32, 4 : i32]}> : (tensor<1x8x8x16xbf16>) -> tensor<1x64x4x4xbf16>
    %24 = "ttir.reshape"(%arg3) <{shape = [1 : i32, 64 : i32, 1 : i32, 1 : i32]}> : (tensor<64xbf16>) -> tensor<1x64x1x1xbf16>
    %25 = "ttir.broadcast"(%24) <{broadcast_dimensions = array<i64: 1, 1, 4, 4>}> : (tensor<1x64x1x1xbf16>) -> tensor<1x64x4x4xbf16>
    %26 = "ttir.multiply"(%23, %25) : (tensor<1x64x4x4xbf16>, tensor<1x64x4x4xbf16>) -> tensor<1x64x4x4xbf16>
    %27 = "ttir.reshape"(%arg4) <{shape = [1 : i32, 64 : i32, 1 : i32, 1 : i32]}> : (tensor<64xbf16>) -> tensor<1x64x1x1xbf16>
    %28 = "ttir.broadcast"(%27) <{broadcast_dimensions = array<i64: 1, 1, 4, 4>}> : (tensor<1x64x1x1xbf16>) -> tensor<1x64x4x4xbf16>
    %29 = "ttir.add"(%26, %28) : (tensor<1x64x4x4xbf16>, tensor<1x64x4x4xbf16>) -> tensor<1x64x4x4xbf16>
    %30 = "ttir.sigmoid"(%29) : (tensor<1x64x4x4xbf16>) -> tensor<1x64x4x4xbf16>
    %31 = "ttir.multiply"(%29, %30) : (tensor<1x64x4x4xbf16>, tensor<1x64x4x4xbf16>) -> tensor<1x64x4x4xbf16>
    %32 = "ttir.permute"(%31) <{permutation = array<i64: 0, 2, 3, 1>}> : (tensor<1x64x4x4xbf16>) -> tensor<1x4x4x64xbf16>
    %33 = "ttir.conv2d"(%32, %arg5) <{dilation = array<i32: 1, 1>, groups = 1 : i32, padding = array<i32: 1, 1, 1, 1>, stride = array<i32: 1, 1>}> : (tensor<1x4x4x64xbf16>, tensor<64x64x3x3xbf16>) -> tensor<1x4x4x64xbf16>
    %34 = "ttir.permute"(%33) <{permutation = array<i64: 0, 3, 1, 2>}> : (tensor<1x4x4x64xbf16>) -> tensor<1x64x4x4xbf16>
    %35 = "ttir.reshape"(%arg6) <{shape = [1 : i32, 64 : i32, 1 : i32, 1 : i32]}> : (tensor<64xbf16>) -> tensor<1x64x1x1xbf16>
    %36 = "ttir.broadcast"(%35) <{broadcast_dimensions = array<i64: 1, 1, 4, 4>}> : (tensor<1x64x1x1xbf16>) -> tensor<1x64x4x4xbf16>
    %37 = "ttir.add"(%34, %36) : (tensor<1x64x4x4xbf16>, tensor<1x64x4x4xbf16>) -> tensor<1x64x4x4xbf16>
    %38 = "ttir.add"(%5, %37) : (tensor<1x64x4x4xbf16>, tensor<1x64x4x4xbf16>) -> tensor<1x64x4x4xbf16>
    %39 = "ttir.reshape"(%38) <{shape = [1 : i32, 64 : i32, 4 : i32, 1 : i32, 4 : i32, 1 : i32]}> : (tensor<1x64x4x4xbf16>) -> tensor<1x64x4x1x4x1xbf16>
    %40 = "ttir.broadcast"(%39) <{broadcast_dimensions = array<i64: 1, 1, 1, 2, 1, 2>}> : (tensor<1x64x4x1x4x1xbf16>) -> tensor<1x64x4x2x4x2xbf16>
    %41 = "ttir.reshape"(%40) <{shape = [1 : i32, 64 : i32, 8 : i32, 8 : i32]}> : (tensor<1x64x4x2x4x2xbf16>) -> tensor<1x64x8x8xbf16>
    %42 = "ttir.permute"(%41) <{permutation = array<i64: 0, 2, 3, 1>}> : (tensor<1x64x8x8xbf16>) -> tensor<1x8x8x64xbf16>
    %43 = "ttir.conv2d"(%42, %arg7) <{dilation = array<i32: 1, 1>, groups = 1 : i32, padding = array<i32: 1, 1, 1, 1>, stride = array<i32: 1, 1>}> : (tensor<1x8x8x64xbf16>, tensor<64x64x3x3xbf16>) -> tensor<1x8x8x64xbf16>
    %44 = "ttir.permute"(%43) <{permutation = array<i64: 0, 3, 1, 2>}> : (tensor<1x8x8x64xbf16>) -> tensor<1x64x8x8xbf16>
    %45 = "ttir.reshape"(%arg8) <{shape = [1 : i32, 64 : i32, 1 : i32, 1 : i32]}> : (tensor<64xbf16>) -> tensor<1x64x1x1xbf16>
    %46 = "ttir.broadcast"(%45) <{broadcast_dimensions = array<i64: 1, 1, 8, 8>}> : (tensor<1x64x1x1xbf16>) -> tensor<1x64x8x8xbf16>
    %47 = "ttir.add"(%44, %46) : (tensor<1x64x8x8xbf16>, tensor<1x64x8x8xbf16>) -> tensor<1x64x8x8xbf16>
    %48 = "ttir.reshape"(%47) <{shape = [1 : i32, 8 : i32, 8 : i32, 64 : i32]}> : (tensor<1x64x8x8xbf16>) -> tensor<1x8x8x64xbf16>
    %49 = "ttir.sum"(%48) <{dim_arg = [2 : i32, 3 : i32], keep_dim = false}> : (tensor<1x8x8x64xbf16>) -> tensor<1x8xbf16>
    %50 = "ttir.constant"() <{value = dense<1.953125e-03> : tensor<1x8xbf16>}> : () -> tensor<1x8xbf16>
    %51 = "ttir.multiply"(%49, %50) : (tensor<1x8xbf16>, tensor<1x8xbf16>) -> tensor<1x8xbf16>
    %52 = "ttir.reshape"(%51) <{shape = [1 : i32, 8 : i32, 1 : i32, 1 : i32]}> : (tensor<1x8xbf16>) -> tensor<1x8x1x1xbf16>
    %53 = "ttir.broadcast"(%52) <{broadcast_dimensions = array<i64: 1, 1, 8, 64>}> : (tensor<1x8x1x1xbf16>) -> tensor<1x8x8x64xbf16>
    %54 = "ttir.subtract"(%48, %53) : (tensor<1x8x8x64xbf16>, tensor<1x8x8x64xbf16>) -> tensor<1x8x8x64xbf16>
    %55 = "ttir.multiply"(%54, %54) : (tensor<1x8x8x64xbf16>, tensor<1x8x8x64xbf16>) -> tensor<1x8x8x64xbf16>
    %56 = "ttir.sum"(%55) <{dim_arg = [2 : i32, 3 : i32], keep_dim = false}> : (tensor<1x8x8x64xbf16>) -> tensor<1x8xbf16>
    %57 = "ttir.constant"() <{value = dense<1.953125e-03> : tensor<1x8xbf16>}> : () -> tensor<1x8xbf16>
    %58 = "ttir.multiply"(%56, %57) : (tensor<1x8xbf16>, tensor<1x8xbf16>) -> tensor<1x8xbf16>
    %59 = "ttir.reshape"(%58) <{shape = [1 : i32, 8 : i32, 1 : i32, 1 : i32]}> : (tensor<1x8xbf16>) -> tensor<1x8x1x1xbf16>
    %60 = "ttir.constant"() <{value = dense<9.765625e-04> : tensor<1x8x1x1xbf16>}> : () -> tensor<1x8x1x1xbf16>
    %61 = "ttir.add"(%59, %60) : (tensor<1x8x1x1xbf16>, tensor<1x8x1x1xbf16>) -> tensor<1x8x1x1xbf16>
    %62 = "ttir.rsqrt"(%61) : (tensor<1x8x1x1xbf16>) -> tensor<1x8x1x1xbf16>
    %63 = "ttir.broadcast"(%62) <{broadcast_dimensions = array<i64: 1, 1, 8, 64>}> : (tensor<1x8x1x1xbf16>) -> tensor<1x8x8x64xbf16>
    %64 = "ttir.multiply"(%54, %63) : (tensor<1x8x8x64xbf16>, tensor<1x8x8x64xbf16>) -> tensor<1x8x8x64xbf16>
    %65 = "ttir.reshape"(%64) <{shape = [1 : i32, 64 : i32, 8 : i32, 8 : i32]}> : (tensor<1x8x8x64xbf16>) -> tensor<1x64x8x8xbf16>
    %66 = "ttir.reshape"(%arg9) <{shape = [1 : i32, 64 : i32, 1 : i32, 1 : i32]}> : (tensor<64xbf16>) -> tensor<1x64x1x1xbf16>
    %67 = "ttir.broadcast"(%66) <{broadcast_dimensions = array<i64: 1, 1, 8, 8>}> : (tensor<1x64x1x1xbf16>) -> tensor<1x64x8x8xbf16>
    %68 = "ttir.multiply"(%65, %67) : (tensor<1x64x8x8xbf16>, tensor<1x64x8x8xbf16>) -> tensor<1x64x8x8xbf16>
    %69 = "ttir.reshape"(%arg10) <{shape = [1 : i32, 64 : i32, 1 : i32, 1 : i32]}> : (tensor<64xbf16>) -> tensor<1x64x1x1xbf16>
    %70 = "ttir.broadcast"(%69) <{broadcast_dimensions = array<i64: 1, 1, 8, 8>}> : (tensor<1x64x1x1xbf16>) -> tensor<1x64x8x8xbf16>
    %71 = "ttir.add"(%68, %70) : (tensor<1x64x8x8xbf16>, tensor<1x64x8x8xbf16>) -> tensor<1x64x8x8xbf16>
    %72 = "ttir.sigmoid"(%71) : (tensor<1x64x8x8xbf16>) -> tensor<1x64x8x8xbf16>
    %73 = "ttir.multiply"(%71, %72) : (tensor<1x64x8x8xbf16>, tensor<1x64x8x8xbf16>) -> tensor<1x64x8x8xbf16>
    %74 = "ttir.permute"(%73) <{permutation = array<i64: 0, 2, 3, 1>}> : (tensor<1x64x8x8xbf16>) -> tensor<1x8x8x64xbf16>
    %75 = "ttir.conv2d"(%74, %arg11) <{dilation = array<i32: 1, 1>, groups = 1 : i32, padding = array<i32: 1, 1, 1, 1>, stride = array<i32: 1, 1>}> : (tensor<1x8x8x64xbf16>, tensor<3x64x3x3xbf16>) -> tensor<1x8x8x3xbf16>
    %76 = "ttir.permute"(%75) <{permutation = array<i64: 0, 3, 1, 2>}> : (tensor<1x8x8x3xbf16>) -> tensor<1x3x8x8xbf16>
    %77 = "ttir.reshape"(%arg12) <{shape = [1 : i32, 3 : i32, 1 : i32, 1 : i32]}> : (tensor<3xbf16>) -> tensor<1x3x1x1xbf16>
    %78 = "ttir.broadcast"(%77) <{broadcast_dimensions = array<i64: 1, 1, 8, 8>}> : (tensor<1x3x1x1xbf16>) -> tensor<1x3x8x8xbf16>
    %79 = "ttir.add"(%76, %78) : (tensor<1x3x8x8xbf16>, tensor<1x3x8x8xbf16>) -> tensor<1x3x8x8xbf16>
    return %79 : tensor<1x3x8x8xbf16>
  }
}
