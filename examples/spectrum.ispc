// The power of a sound by time and frequency: each task takes a stretch of samples, each lane a frequency, and turns a
// vector of length 1 once a sample.
task void stretch(uniform float sound[], uniform float power[], uniform int window, uniform int hop, uniform int bins) {
    uniform float * uniform samples = sound + taskIndex * hop;
    foreach (bin = 0 ... bins) {
        float angle = 2 * PI * bin / window;
        float turn_x = cos(angle), turn_y = -sin(angle);
        float x = 1, y = 0, re = 0, im = 0;
        for (uniform int t = 0; t < window; ++t) {
            uniform float weight = 0.5f - 0.5f * cos(2 * PI * t / window);
            re += weight * samples[t] * x;
            im += weight * samples[t] * y;
            float turned = x * turn_x - y * turn_y;
            y = x * turn_y + y * turn_x;
            x = turned;
        }
        power[taskIndex * bins + bin] = re * re + im * im;
    }
}

export void spectrum(uniform float sound[(frames - 1) * hop + window], uniform float power[frames * bins], uniform int window,
                     uniform int hop, uniform int bins, uniform int frames) {
    launch[frames] stretch(sound, power, window, hop, bins);
}
