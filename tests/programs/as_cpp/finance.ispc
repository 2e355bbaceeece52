// tolerance: 1e-9
// call: bonds: Z(60,np.float64), Z(60), D(60*4,0.01,1), 60
// call: lattice: Z(40,np.float64), D(40*4,0.1,1), 40, 20
// call: portfolio: Z(50,np.float64), D(50*8,-1,1), D(64,-1,1), 50
// call: ledger: Z(20,np.int64), Z(20), I(400,0,20,np.uint8), I(400,-10**12,10**12,np.int64), 400
// call: calendar: Z(200*3), I(200,-300000,300000), 200
// call: decimal: Z(100*20,np.uint8), I(100,-10**15,10**15,np.int64), 100
// call: orders: Z(8), Z(8,np.int64), I(60,90,110,np.int16), I(60,1,50,np.uint16), 60
// call: newton: Z(70,np.float64), Z(70), D(70,1,50), 70
struct Flow { double when, amount; };
struct Bond { Flow flows[6]; int count; bool callable; };
static inline double discount(double rate, double when) { return 1.0d / (1.0d + rate * when + rate * rate * when * when * 0.5d); }
static double value(const Bond &bond, double rate) {
    double total = 0;
    for (uniform int k = 0; k < 6; k++) if (k < bond.count) total += bond.flows[k].amount * discount(rate, bond.flows[k].when);
    return bond.callable ? min(total, 105.0d) : total;
}
export void bonds(uniform double yields[], uniform int steps[], uniform double given[], uniform int n) {
    foreach (i = 0 ... n) {
        Bond b;
        b.count = 2 + (i & 3); b.callable = (i % 7) == 0;
        for (uniform int k = 0; k < 6; k++) { b.flows[k].when = k + given[i * 4]; b.flows[k].amount = 5 + 3 * given[i * 4 + 1]; if (k == b.count - 1) b.flows[k].amount += 100; }
        double low = -0.05d, high = 1.5d, price = 80 + 20 * given[i * 4 + 2];
        int count = 0;
        while (high - low > 1.0e-10d && count < 80) {
            double middle = (low + high) * 0.5d;
            if (value(b, middle) > price) low = middle; else high = middle;
            count++;
        }
        yields[i] = low; steps[i] = count;
    }
}
export void lattice(uniform double out[], uniform double given[], uniform int n, uniform int steps) {
    foreach (i = 0 ... n) {
        double up = 1.0d + 0.1d * given[i * 4], down = 1.0d / (1.0d + 0.1d * given[i * 4]), p = 0.3d + 0.4d * given[i * 4 + 1];
        double values[21];
        double spot = 100;
        for (uniform int k = 0; k < steps; k++) spot *= down;
        double ratio = up / down;
        for (uniform int k = 0; k <= steps; k++) { values[k] = max(spot - 95 * given[i * 4 + 2], 0.0d); spot *= ratio; }
        bool american = (i & 1) == 1;
        for (uniform int s = steps - 1; s >= 0; s--) {
            double here = 100;
            for (uniform int k = 0; k < s; k++) here *= down;
            for (uniform int k = 0; k <= s; k++) {
                values[k] = 0.99d * (p * values[k + 1] + (1 - p) * values[k]);
                if (american) values[k] = max(values[k], here - 95 * given[i * 4 + 2]);
                here *= ratio;
            }
        }
        out[i] = values[0];
    }
}
export void portfolio(uniform double out[], uniform double weights[], uniform double matrix[], uniform int n) {
    foreach (i = 0 ... n) {
        double risk = 0, most = -1.0e300d; int at = -1;
        for (uniform int r = 0; r < 8; r++) {
            double row = 0;
            for (uniform int c = 0; c < 8; c++) row += matrix[r * 8 + c] * weights[i * 8 + c];
            double part = row * weights[i * 8 + r];
            if (part > most) { most = part; at = r; }
            risk += part;
        }
        out[i] = risk + at * 100.0d;
    }
}
export void ledger(uniform int64 balances[], uniform int counts[], uniform uint8 accounts[], uniform int64 amounts[], uniform int n) {
    foreach (i = 0 ... n) {
        int a = accounts[i];
        atomic_add_global(&balances[a], amounts[i]);
        if (amounts[i] < 0) atomic_add_global(&counts[a], a - a + 1);
    }
}
// Days since 1970-01-01 to year, month, day (Hinnant's algorithm).
export void calendar(uniform int out[], uniform int days[], uniform int n) {
    foreach (i = 0 ... n) {
        int z = days[i] + 719468;
        int era = (z >= 0 ? z : z - 146096) / 146097;
        uint32 doe = (uint32)(z - era * 146097);
        uint32 yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
        int y = (int)yoe + era * 400;
        uint32 doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
        uint32 mp = (5 * doy + 2) / 153;
        uint32 d = doy - (153 * mp + 2) / 5 + 1;
        uint32 m = mp < 10 ? mp + 3 : mp - 9;
        out[i * 3] = y + (m <= 2 ? 1 : 0); out[i * 3 + 1] = (int)m; out[i * 3 + 2] = (int)d;
    }
}
export void decimal(uniform uint8 out[], uniform int64 values[], uniform int n) {
    foreach (i = 0 ... n) {
        uint64 v = (uint64)(values[i] < 0 ? -values[i] : values[i]);
        int at = 19, digits = 0;
        do {
            if (digits > 0 && digits % 3 == 0) { out[i * 20 + at] = 44; at--; if (at < 1) break; }
            out[i * 20 + at] = (uint8)(48 + (int)(v % 10));
            v /= 10; at--; digits++;
        } while (v != 0 && at > 0);
        if (values[i] < 0) out[i * 20 + at] = 45;
    }
}
struct Order { int16 price; uint16 amount; };
export void orders(uniform int out[], uniform int64 turnover[], uniform int16 prices[], uniform uint16 amounts[], uniform int n) {
    foreach (book = 0 ... 8) {
        Order buys[10], sells[10];
        int bought = 0, sold = 0, trades = 0;
        int64 money = 0;
        for (uniform int k = 0; k < n; k++) {
            if ((k + book) % 3 == 0) continue;
            Order o;
            o.price = prices[k] + (int16)(book % 3); o.amount = amounts[k];
            bool buys_ = ((k >> 1) ^ book) & 1;
            while (o.amount > 0) {
                int best = -1;
                if (buys_) { for (int j = 0; j < sold; j++) if (sells[j].price <= o.price && (best < 0 || sells[j].price < sells[best].price)) best = j; }
                else { for (int j = 0; j < bought; j++) if (buys[j].price >= o.price && (best < 0 || buys[j].price > buys[best].price)) best = j; }
                if (best < 0) break;
                uint16 filled; int16 at;
                if (buys_) { filled = min(o.amount, sells[best].amount); at = sells[best].price; sells[best].amount -= filled; if (sells[best].amount == 0) { sold--; sells[best] = sells[sold]; } }
                else { filled = min(o.amount, buys[best].amount); at = buys[best].price; buys[best].amount -= filled; if (buys[best].amount == 0) { bought--; buys[best] = buys[bought]; } }
                o.amount -= filled; trades++; money += (int64)at * filled;
            }
            if (o.amount == 0) continue;
            if (buys_ && bought < 10) { buys[bought] = o; bought++; }
            else if (!buys_ && sold < 10) { sells[sold] = o; sold++; }
        }
        out[book] = trades * 10000 + bought * 100 + sold;
        turnover[book] = money;
    }
}
export void newton(uniform double roots[], uniform int steps[], uniform double x[], uniform int n) {
    foreach (i = 0 ... n) {
        double a = x[i]; double r = a > 1 ? a : 1.0d;
        int k = 0;
        for (; k < 50; k++) {
            double next = (2 * r + a / (r * r)) / 3;
            double d = next > r ? next - r : r - next;
            r = next;
            if (d < 1.0e-9d) break;
        }
        roots[i] = r; steps[i] = k;
    }
}
