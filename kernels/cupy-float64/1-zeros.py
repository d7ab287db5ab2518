"""Kepler's equation by Newton's method in a fused function, from a first guess of zero corrections."""


def prepare(cp, data, out, n, kernel):
    mean, eccentricity, anomaly = data["mean"], data["eccentricity"], out["anomaly"]
    correction = cp.zeros(mean.shape)

    @cp.fuse(kernel_name="kepler")
    def kepler(mean, eccentricity, correction, anomaly):
        e = mean + eccentricity * cp.sin(mean) + correction
        for _ in range(4):
            e = e - (e - eccentricity * cp.sin(e) - mean) / (1.0 - eccentricity * cp.cos(e))
        cp.subtract(e, (e - eccentricity * cp.sin(e) - mean) / (1.0 - eccentricity * cp.cos(e)), anomaly)

    return lambda: kepler(mean, eccentricity, correction, anomaly)
