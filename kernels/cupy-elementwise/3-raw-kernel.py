"""The same in a kernel of our own: a block holds its row in registers, so that the matrix is read once."""


def prepare(cp, data, out, n, kernel):
    normalise, args = kernel("normalise_rows"), (data["x"], out["y"])
    return lambda: normalise((n["rows"],), (n["columns"] // 4,), args)
