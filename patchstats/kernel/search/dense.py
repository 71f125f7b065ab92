"""A layer of a neural network, in hardware's own rows of numbers.

The numbers are whole ones, and every sum stays below 2**24 in size, so that 32-bit floating point, which is fastest,
holds each exactly: the result is the same whatever the order and whatever the machine. `weights.py` sees to the bound.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import config, types
from numba.core import cgutils
from numba.extending import intrinsic

#: How many numbers a layer gives.
HIDDEN = 32
_ROW = 8

if config.DISABLE_JIT:

    def dense(numbers: Any, inputs: Any, count: Any, weights: Any, outputs: Any) -> None:
        """Write HIDDEN sums of inputs times weights, but for the negative ones, which become 0."""
        first, n = int(weights), int(count)
        rows = numbers[first : first + (n + 1) * HIDDEN].reshape(n + 1, HIDDEN)
        sums = rows[0] + numbers[int(inputs) : int(inputs) + n] @ rows[1:]
        numbers[int(outputs) : int(outputs) + HIDDEN] = np.maximum(sums, 0)

else:

    @intrinsic
    def dense(_typing: Any, numbers: Any, inputs: Any, count: Any, weights: Any, outputs: Any) -> Any:
        """Write HIDDEN sums of inputs times weights, but for the negative ones, which become 0.

        All lie in one array of 32-bit floating point: `count` inputs from one place on; from another the weights, one
        row of HIDDEN by itself and then one for each input; and from a third the sums.
        """

        def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            array = context.make_array(signature.args[0])(context, builder, arguments[0])
            base = array.data
            row = ir.VectorType(ir.FloatType(), _ROW)
            word = ir.IntType(64)

            def rows_at(place: Any) -> list[Any]:
                pointers = [
                    builder.gep(base, [builder.add(place, word(_ROW * part))]) for part in range(HIDDEN // _ROW)
                ]
                return [builder.bitcast(pointer, row.as_pointer()) for pointer in pointers]

            def load(pointer: Any) -> Any:
                return builder.load(pointer, align=4)

            sums = []
            for pointer in rows_at(arguments[3]):
                kept = cgutils.alloca_once(builder, row)
                builder.store(load(pointer), kept)
                sums.append(kept)
            with cgutils.for_range(builder, arguments[2], intp=word) as loop:
                number = builder.load(builder.gep(base, [builder.add(arguments[1], loop.index)]), align=4)
                single = builder.insert_element(ir.Constant(row, ir.Undefined), number, ir.IntType(32)(0))
                mask = ir.Constant(ir.VectorType(ir.IntType(32), _ROW), [0] * _ROW)
                spread = builder.shuffle_vector(single, ir.Constant(row, ir.Undefined), mask)
                place = builder.add(arguments[3], builder.mul(builder.add(loop.index, word(1)), word(HIDDEN)))
                for kept, pointer in zip(sums, rows_at(place), strict=True):
                    product = builder.fmul(spread, load(pointer))
                    builder.store(builder.fadd(builder.load(kept), product), kept)
            nothing = ir.Constant(row, [0.0] * _ROW)
            for kept, pointer in zip(sums, rows_at(arguments[4]), strict=True):
                total = builder.load(kept)
                positive = builder.fcmp_ordered(">", total, nothing)
                builder.store(builder.select(positive, total, nothing), pointer, align=4)
            return context.get_dummy_value()

        return types.void(numbers, inputs, count, weights, outputs), build
