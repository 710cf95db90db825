// Three steps of an LSTM, unrolled.
module {
  func.func @main(
    %arg0: tensor<3x4x16xf32> {ttcore.argument_type = #ttcore.argument_type<input>},
    %arg1: tensor<4x32xf32> {ttcore.argument_type = #ttcore.argument_type<input>},
    %arg2: tensor<4x32xf32> {ttcore.argument_type = #ttcore.argument_type<input>},
    %arg3: tensor<128x16xf32> {ttcore.argument_type = #ttcore.argument_type<parameter>},
    %arg4: tensor<128x32xf32> {ttcore.argument_type = #ttcore.argument_type<parameter>},
    %arg5: tensor<128xf32> {ttcore.argument_type = #ttcore.argument_type<parameter>},
    %arg6: tensor<128xf32> {ttcore.argument_type = #ttcore.argument_type<parameter>}
  ) -> (tensor<3x4x32xf32>, tensor<4x32xf32>) {
    %0 = "ttir.slice_static"(%arg0) <{begins = [0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 4 : i32, 16 : i32], step = [1 : i32, 1 : i32, 1 : i32]}> : (tensor<3x4x16xf32>) -> tensor<1x4x16xf32>
    %1 = "ttir.reshape"(%0) <{shape = [4 : i32, 16 : i32]}> : (tensor<1x4x16xf32>) -> tensor<4x16xf32>
    %2 = "ttir.permute"(%arg3) <{permutation = array<i64: 1, 0>}> : (tensor<128x16xf32>) -> tensor<16x128xf32>
    %3 = "ttir.dot_general"(%1, %2) <{batch_dims_lhs = array<i64>, batch_dims_rhs = array<i64>, contract_dims_lhs = array<i64: 1>, contract_dims_rhs = array<i64: 0>}> : (tensor<4x16xf32>, tensor<16x128xf32>) -> tensor<4x128xf32>
    %4 = "ttir.reshape"(%3) <{shape = [4 : i32, 128 : i32]}> : (tensor<4x128xf32>) -> tensor<4x128xf32>
    %5 = "ttir.reshape"(%arg5) <{shape = [1 : i32, 128 : i32]}> : (tensor<128xf32>) -> tensor<1x128xf32>
    %6 = "ttir.broadcast"(%5) <{broadcast_dimensions = array<i64: 4, 1>}> : (tensor<1x128xf32>) -> tensor<4x128xf32>
    %7 = "ttir.add"(%4, %6) : (tensor<4x128xf32>, tensor<4x128xf32>) -> tensor<4x128xf32>
    %8 = "ttir.permute"(%arg4) <{permutation = array<i64: 1, 0>}> : (tensor<128x32xf32>) -> tensor<32x128xf32>
    %9 = "ttir.dot_general"(%arg1, %8) <{batch_dims_lhs = array<i64>, batch_dims_rhs = array<i64>, contract_dims_lhs = array<i64: 1>, contract_dims_rhs = array<i64: 0>}> : (tensor<4x32xf32>, tensor<32x128xf32>) -> tensor<4x128xf32>
    %10 = "ttir.reshape"(%9) <{shape = [4 : i32, 128 : i32]}> : (tensor<4x128xf32>) -> tensor<4x128xf32>
    %11 = "ttir.reshape"(%arg6) <{shape = [1 : i32, 128 : i32]}> : (tensor<128xf32>) -> tensor<1x128xf32>
    %12 = "ttir.broadcast"(%11) <{broadcast_dimensions = array<i64: 4, 1>}> : (tensor<1x128xf32>) -> tensor<4x128xf32>
    %13 = "ttir.add"(%10, %12) : (tensor<4x128xf32>, tensor<4x128xf32>) -> tensor<4x128xf32>
    %14 = "ttir.add"(%7, %13) : (tensor<4x128xf32>, tensor<4x128xf32>) -> tensor<4x128xf32>
    %15 = "ttir.slice_static"(%14) <{begins = [0 : i32, 0 : i32], ends = [4 : i32, 32 : i32], step = [1 : i32, 1 : i32]}> : (tensor<4x128xf32>) -> tensor<4x32xf32>
    %16 = "ttir.slice_static"(%14) <{begins = [0 : i32, 32 : i32], ends = [4 : i32, 64 : i32], step = [1 : i32, 1 : i32]}> : (tensor<4x128xf32>) -> tensor<4x32xf32>
    %17 = "ttir.slice_static"(%14) <{begins = [0 : i32, 64 : i32], ends = [4 : i32, 96 : i32], step = [1 : i32, 1 : i32]}> : (tensor<4x128xf32>) -> tensor<4x32xf32>
    %18 = "ttir.slice_static"(%14) <{begins = [0 : i32, 96 : i32], ends = [4 : i32, 128 : i32], step = [1 : i32, 1 : i32]}> : (tensor<4x128xf32>) -> tensor<4x32xf32>
    %19 = "ttir.sigmoid"(%16) : (tensor<4x32xf32>) -> tensor<4x32xf32>
    %20 = "ttir.multiply"(%19, %arg2) : (tensor<4x32xf32>, tensor<4x32xf32>) -> tensor<4x32xf32>
    %21 = "ttir.sigmoid"(%15) : (tensor<4x32xf32>) -> tensor<4x32xf32>
    %22 = "ttir.tanh"(%17) : (tensor<4x32xf32>) -> tensor<4x32xf32>
    %23 = "ttir.multiply"(%21, %22) : (tensor<4x32xf32>, tensor<4x32xf32>) -> tensor<4x32xf32>
    %24 = "ttir.add"(%20, %23) : (tensor<4x32xf32>, tensor<4x32xf32>) -> tensor<4x32xf32>
    %25 = "ttir.sigmoid"(%18) : (tensor<4x32xf32>) -> tensor<4x32xf32>
    %26 = "ttir.tanh"(%24) : (tensor<4x32xf32>) -> tensor<4x32xf32>
    %27 = "ttir.multiply"(%25, %26) : (tensor<4x32xf32>, tensor<4x32xf32>) -> tensor<4x32xf32>
    %28 = "ttir.reshape"(%27) <{shape = [1 : i32, 4 : i32, 32 : i32]}> : (tensor<4x32xf32>) -> tensor<1x4x32xf32>
    %29 = "ttir.slice_static"(%arg0) <{begins = [1 : i32, 0 : i32, 0 : i32], ends = [2 : i32, 4 : i32, 16 : i32], step = [1 : i32, 1 : i32, 1 : i32]}> : (tensor<3x4x16xf32>) -> tensor<1x4x16xf32>
    %30 = "ttir.reshape"(%29) <{shape = [4 : i32, 16 : i32]}> : (tensor<1x4x16xf32>) -> tensor<4x16xf32>
    %31 = "ttir.permute"(%arg3) <{permutation = array<i64: 1, 0>}> : (tensor<128x16xf32>) -> tensor<16x128xf32>
    %32 = "ttir.dot_general"(%30, %31) <{batch_dims_lhs = array<i64>, batch_dims_rhs = array<i64>, contract_dims_lhs = array<i64: 1>, contract_dims_rhs = array<i64: 0>}> : (tensor<4x16xf32>, tensor<16x128xf32>) -> tensor<4x128xf32>
    %33 = "ttir.reshape"(%32) <{shape = [4 : i32, 128 : i32]}> : (tensor<4x128xf32>) -> tensor<4x128xf32>
    %34 = "ttir.reshape"(%arg5) <{shape = [1 : i32, 128 : i32]}> : (tensor<128xf32>) -> tensor<1x128xf32>
    %35 = "ttir.broadcast"(%34) <{broadcast_dimensions = array<i64: 4, 1>}> : (tensor<1x128xf32>) -> tensor<4x128xf32>
    %36 = "ttir.add"(%33, %35) : (tensor<4x128xf32>, tensor<4x128xf32>) -> tensor<4x128xf32>
    %37 = "ttir.permute"(%arg4) <{permutation = array<i64: 1, 0>}> : (tensor<128x32xf32>) -> tensor<32x128xf32>
    %38 = "ttir.dot_general"(%27, %37) <{batch_dims_lhs = array<i64>, batch_dims_rhs = array<i64>, contract_dims_lhs = array<i64: 1>, contract_dims_rhs = array<i64: 0>}> : (tensor<4x32xf32>, tensor<32x128xf32>) -> tensor<4x128xf32>
    %39 = "ttir.reshape"(%38) <{shape = [4 : i32, 128 : i32]}> : (tensor<4x128xf32>) -> tensor<4x128xf32>
    %40 = "ttir.reshape"(%arg6) <{shape = [1 : i32, 128 : i32]}> : (tensor<128xf32>) -> tensor<1x128xf32>
    %41 = "ttir.broadcast"(%40) <{broadcast_dimensions = array<i64: 4, 1>}> : (tensor<1x128xf32>) -> tensor<4x128xf32>
    %42 = "ttir.add"(%39, %41) : (tensor<4x128xf32>, tensor<4x128xf32>) -> tensor<4x128xf32>
    %43 = "ttir.add"(%36, %42) : (tensor<4x128xf32>, tensor<4x128xf32>) -> tensor<4x128xf32>
    %44 = "ttir.slice_static"(%43) <{begins = [0 : i32, 0 : i32], ends = [4 : i32, 32 : i32], step = [1 : i32, 1 : i32]}> : (tensor<4x128xf32>) -> tensor<4x32xf32>
    %45 = "ttir.slice_static"(%43) <{begins = [0 : i32, 32 : i32], ends = [4 : i32, 64 : i32], step = [1 : i32, 1 : i32]}> : (tensor<4x128xf32>) -> tensor<4x32xf32>
    %46 = "ttir.slice_static"(%43) <{begins = [0 : i32, 64 : i32], ends = [4 : i32, 96 : i32], step = [1 : i32, 1 : i32]}> : (tensor<4x128xf32>) -> tensor<4x32xf32>
    %47 = "ttir.slice_static"(%43) <{begins = [0 : i32, 96 : i32], ends = [4 : i32, 128 : i32], step = [1 : i32, 1 : i32]}> : (tensor<4x128xf32>) -> tensor<4x32xf32>
    %48 = "ttir.sigmoid"(%45) : (tensor<4x32xf32>) -> tensor<4x32xf32>
    %49 = "ttir.multiply"(%48, %24) : (tensor<4x32xf32>, tensor<4x32xf32>) -> tensor<4x32xf32>
    %50 = "ttir.sigmoid"(%44) : (tensor<4x32xf32>) -> tensor<4x32xf32>
    %51 = "ttir.tanh"(%46) : (tensor<4x32xf32>) -> tensor<4x32xf32>
    %52 = "ttir.multiply"(%50, %51) : (tensor<4x32xf32>, tensor<4x32xf32>) -> tensor<4x32xf32>
    %53 = "ttir.add"(%49, %52) : (tensor<4x32xf32>, tensor<4x32xf32>) -> tensor<4x32xf32>
    %54 = "ttir.sigmoid"(%47) : (tensor<4x32xf32>) -> tensor<4x32xf32>
    %55 = "ttir.tanh"(%53) : (tensor<4x32xf32>) -> tensor<4x32xf32>
    %56 = "ttir.multiply"(%54, %55) : (tensor<4x32xf32>, tensor<4x32xf32>) -> tensor<4x32xf32>
    %57 = "ttir.reshape"(%56) <{shape = [1 : i32, 4 : i32, 32 : i32]}> : (tensor<4x32xf32>) -> tensor<1x4x32xf32>
    %58 = "ttir.slice_static"(%arg0) <{begins = [2 : i32, 0 : i32, 0 : i32], ends = [3 : i32, 4 : i32, 16 : i32], step = [1 : i32, 1 : i32, 1 : i32]}> : (tensor<3x4x16xf32>) -> tensor<1x4x16xf32>
    %59 = "ttir.reshape"(%58) <{shape = [4 : i32, 16 : i32]}> : (tensor<1x4x16xf32>) -> tensor<4x16xf32>
    %60 = "ttir.permute"(%arg3) <{permutation = array<i64: 1, 0>}> : (tensor<128x16xf32>) -> tensor<16x128xf32>
    %61 = "ttir.dot_general"(%59, %60) <{batch_dims_lhs = array<i64>, batch_dims_rhs = array<i64>, contract_dims_lhs = array<i64: 1>, contract_dims_rhs = array<i64: 0>}> : (tensor<4x16xf32>, tensor<16x128xf32>) -> tensor<4x128xf32>
    %62 = "ttir.reshape"(%61) <{shape = [4 : i32, 128 : i32]}> : (tensor<4x128xf32>) -> tensor<4x128xf32>
    %63 = "ttir.reshape"(%arg5) <{shape = [1 : i32, 128 : i32]}> : (tensor<128xf32>) -> tensor<1x128xf32>
    %64 = "ttir.broadcast"(%63) <{broadcast_dimensions = array<i64: 4, 1>}> : (tensor<1x128xf32>) -> tensor<4x128xf32>
    %65 = "ttir.add"(%62, %64) : (tensor<4x128xf32>, tensor<4x128xf32>) -> tensor<4x128xf32>
    %66 = "ttir.permute"(%arg4) <{permutation = array<i64: 1, 0>}> : (tensor<128x32xf32>) -> tensor<32x128xf32>
    %67 = "ttir.dot_general"(%56, %66) <{batch_dims_lhs = array<i64>, batch_dims_rhs = array<i64>, contract_dims_lhs = array<i64: 1>, contract_dims_rhs = array<i64: 0>}> : (tensor<4x32xf32>, tensor<32x128xf32>) -> tensor<4x128xf32>
    %68 = "ttir.reshape"(%67) <{shape = [4 : i32, 128 : i32]}> : (tensor<4x128xf32>) -> tensor<4x128xf32>
    %69 = "ttir.reshape"(%arg6) <{shape = [1 : i32, 128 : i32]}> : (tensor<128xf32>) -> tensor<1x128xf32>
    %70 = "ttir.broadcast"(%69) <{broadcast_dimensions = array<i64: 4, 1>}> : (tensor<1x128xf32>) -> tensor<4x128xf32>
    %71 = "ttir.add"(%68, %70) : (tensor<4x128xf32>, tensor<4x128xf32>) -> tensor<4x128xf32>
    %72 = "ttir.add"(%65, %71) : (tensor<4x128xf32>, tensor<4x128xf32>) -> tensor<4x128xf32>
    %73 = "ttir.slice_static"(%72) <{begins = [0 : i32, 0 : i32], ends = [4 : i32, 32 : i32], step = [1 : i32, 1 : i32]}> : (tensor<4x128xf32>) -> tensor<4x32xf32>
    %74 = "ttir.slice_static"(%72) <{begins = [0 : i32, 32 : i32], ends = [4 : i32, 64 : i32], step = [1 : i32, 1 : i32]}> : (tensor<4x128xf32>) -> tensor<4x32xf32>
    %75 = "ttir.slice_static"(%72) <{begins = [0 : i32, 64 : i32], ends = [4 : i32, 96 : i32], step = [1 : i32, 1 : i32]}> : (tensor<4x128xf32>) -> tensor<4x32xf32>
    %76 = "ttir.slice_static"(%72) <{begins = [0 : i32, 96 : i32], ends = [4 : i32, 128 : i32], step = [1 : i32, 1 : i32]}> : (tensor<4x128xf32>) -> tensor<4x32xf32>
    %77 = "ttir.sigmoid"(%74) : (tensor<4x32xf32>) -> tensor<4x32xf32>
    %78 = "ttir.multiply"(%77, %53) : (tensor<4x32xf32>, tensor<4x32xf32>) -> tensor<4x32xf32>
    %79 = "ttir.sigmoid"(%73) : (tensor<4x32xf32>) -> tensor<4x32xf32>
    %80 = "ttir.tanh"(%75) : (tensor<4x32xf32>) -> tensor<4x32xf32>
    %81 = "ttir.multiply"(%79, %80) : (tensor<4x32xf32>, tensor<4x32xf32>) -> tensor<4x32xf32>
    %82 = "ttir.add"(%78, %81) : (tensor<4x32xf32>, tensor<4x32xf32>) -> tensor<4x32xf32>
    %83 = "ttir.sigmoid"(%76) : (tensor<4x32xf32>) -> tensor<4x32xf32>
    %84 = "ttir.tanh"(%82) : (tensor<4x32xf32>) -> tensor<4x32xf32>
    %85 = "ttir.multiply"(%83, %84) : (tensor<4x32xf32>, tensor<4x32xf32>) -> tensor<4x32xf32>
    %86 = "ttir.reshape"(%85) <{shape = [1 : i32, 4 : i32, 32 : i32]}> : (tensor<4x32xf32>) -> tensor<1x4x32xf32>
    %87 = "ttir.concat"(%28, %57, %86) <{dim = 0 : si32}> : (tensor<1x4x32xf32>, tensor<1x4x32xf32>, tensor<1x4x32xf32>) -> tensor<3x4x32xf32>
    return %87, %82 : tensor<3x4x32xf32>, tensor<4x32xf32>
  }
}
