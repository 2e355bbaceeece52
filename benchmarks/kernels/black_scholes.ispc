// European call prices after Black and Scholes (1973); the normal distribution by formula 26.2.17 of
// Abramowitz and Stegun.
static inline float normal_distribution(float x) {
    float t = 1 / (1 + 0.2316419f * abs(x));
    float tail = 0.3989422804f * exp(-0.5f * x * x) *
        (t * (0.319381530f + t * (-0.356563782f + t * (1.781477937f + t * (-1.821255978f + t * 1.330274429f)))));
    return x > 0 ? 1 - tail : tail;
}

export void black_scholes(uniform float spot[], uniform float strike[], uniform float years[], uniform float rate,
                          uniform float volatility, uniform float price[], uniform int n) {
    foreach (i = 0 ... n) {
        float root = volatility * sqrt(years[i]);
        float d1 = (log(spot[i] / strike[i]) + (rate + 0.5f * volatility * volatility) * years[i]) / root;
        float d2 = d1 - root;
        price[i] = spot[i] * normal_distribution(d1) - strike[i] * exp(-rate * years[i]) * normal_distribution(d2);
    }
}
