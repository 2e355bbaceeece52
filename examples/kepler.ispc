// Where a planet is after a time: E - e sin(E) = M is solved for E by Newton's method, in as many steps as each lane needs.
export void kepler(uniform float mean[n], uniform float eccentricity, uniform float x[n], uniform float y[n],
                   uniform int steps[n], uniform int n) {
    uniform float e = eccentricity;
    foreach (i = 0 ... n) {
        float E = e < 0.8f ? mean[i] : PI, change = 1;
        int step = 0;
        while (abs(change) > 1e-6f && step < 20) {
            float s, c;
            sincos(E, &s, &c);
            change = (E - e * s - mean[i]) / (1 - e * c);
            E -= change;
            ++step;
        }
        x[i] = cos(E) - e;
        y[i] = sqrt(1 - e * e) * sin(E);
        steps[i] = step;
    }
}
