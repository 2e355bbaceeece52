// The mean of each point of a row and its neighbours; the ends stay as they are.
export void smooth(uniform float row[n], uniform float result[n], uniform int n) {
    if (n > 0) {
        result[0] = row[0];
        result[n - 1] = row[n - 1];
    }
    foreach (i = 1 ... n - 1)
        result[i] = (row[i - 1] + row[i] + row[i + 1]) * (1.0f / 3.0f);
}
