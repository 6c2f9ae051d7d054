package oracle;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Random valid scenarios. The same seed and index give the same scenario. */
final class Gen {
    private static final String[] KEYS = {"a", "b", "c", "d"};

    /** A stream or table under construction. */
    private static final class H {
        final String id;
        final String kt;
        final String vt;
        final boolean table;
        /** Windowed key: the serde name, with kt the inner type. */
        final String window;
        boolean known = true;
        boolean used;
        boolean versioned;
        boolean sessionOrFinal;
        String store;

        H(final String id, final String kt, final String vt, final boolean table, final String window) {
            this.id = id;
            this.kt = kt;
            this.vt = vt;
            this.table = table;
            this.window = window;
        }
    }

    private final Random r;
    private final List<Object> steps = new ArrayList<>();
    private final Map<String, Object> topics = new LinkedHashMap<>();
    private final List<String> inputs = new ArrayList<>();
    private final List<H> handles = new ArrayList<>();
    private final List<H> globals = new ArrayList<>();
    private final List<Object> versionedKeys = new ArrayList<>();
    private final Map<String, Object> config = new LinkedHashMap<>();
    /** Stores that queries may name: {name, kind, key type}. */
    private final List<Object[]> stores = new ArrayList<>();
    private int ids;
    private boolean continueOnError;

    private final GenFilter filter;

    private Gen(final long seed, final GenFilter filter) {
        r = new Random(seed);
        this.filter = filter;
    }

    static void files(final long seed, final int count, final Path dir, final GenFilter filter) throws IOException {
        Files.createDirectories(dir);
        for (int i = 0; i < count; i++) {
            final String name = "gen-" + seed + "-" + i;
            Files.writeString(dir.resolve(name + ".json"), Out.pretty(scenario(seed, i, filter)));
        }
    }

    static Map<String, Object> scenario(final long seed, final int index, final GenFilter filter) {
        return new Gen(seed * 1_000_003L + index * 7919L + 17, filter).make("gen-" + seed + "-" + index);
    }

    // ---- drawing under a filter ----

    /** Draws a part of a program; what the filter forbids is undone. The random sequence goes on either way. */
    private boolean draw(final java.util.function.BooleanSupplier part) {
        if (!filter.limitsOps()) {
            return part.getAsBoolean();
        }
        final int steps0 = steps.size();
        final int inputs0 = inputs.size();
        final int handles0 = handles.size();
        final int globals0 = globals.size();
        final int stores0 = stores.size();
        final int ids0 = ids;
        final Map<String, Object> topics0 = new LinkedHashMap<>(topics);
        final List<H> used0 = new ArrayList<>();
        for (final H h : handles) {
            if (h.used) {
                used0.add(h);
            }
        }
        final boolean made = part.getAsBoolean();
        if (made && filter.allowsSteps(steps.subList(steps0, steps.size()))) {
            return true;
        }
        cut(steps, steps0);
        cut(inputs, inputs0);
        cut(handles, handles0);
        cut(globals, globals0);
        cut(stores, stores0);
        ids = ids0;
        topics.clear();
        topics.putAll(topics0);
        for (final H h : handles) {
            h.used = used0.contains(h);
        }
        return false;
    }

    private static void cut(final List<?> list, final int size) {
        list.subList(size, list.size()).clear();
    }

    private void config(final String key, final Object value) {
        if (filter.allowsConfig(key)) {
            config.put(key, value);
        }
    }

    // ---- small helpers ----

    private static Map<String, Object> m(final Object... kv) {
        final Map<String, Object> out = new LinkedHashMap<>();
        for (int i = 0; i < kv.length; i += 2) {
            out.put((String) kv[i], kv[i + 1]);
        }
        return out;
    }

    private static List<Object> l(final Object... e) {
        return new ArrayList<>(Arrays.asList(e));
    }

    private boolean chance(final int percent) {
        return r.nextInt(100) < percent;
    }

    private <T> T pick(final T... a) {
        return a[r.nextInt(a.length)];
    }

    private <T> T pick(final List<T> a) {
        return a.get(r.nextInt(a.size()));
    }

    private String id() {
        return "x" + ids++;
    }

    private void name(final Map<String, Object> step, final int percent) {
        if (chance(percent)) {
            step.put("name", "nm-" + ids++);
        }
    }

    private Map<String, Object> serdes(final String k, final String v) {
        return m("key", k, "value", v);
    }

    private String keySerde(final H h) {
        return h.window == null ? h.kt : h.window;
    }

    private H add(final H h) {
        handles.add(h);
        return h;
    }

    // ---- expressions ----

    private Object predicate(final String kt, final String vt) {
        switch (r.nextInt(6)) {
            case 0: return l("not", l("isNull", "$value"));
            case 1: return kt.equals("string") ? l("ne", "$key", pick(KEYS)) : l("gt", "$key", (Object) (kt.equals("long") ? (Object) 2L : l("int", 2)));
            default:
        }
        switch (vt) {
            case "string":
                return pick(l("gt", "$value", pick("b", "c", "b:5")), l("startsWith", "$value", pick(KEYS)), l("eq", l("mod", l("len", "$value"), 2L), 0L));
            case "long":
                return pick(l("gt", "$value", (long) r.nextInt(6)), l("eq", l("mod", "$value", 2L), (long) r.nextInt(2)));
            case "int":
                return l("lt", "$value", l("int", r.nextInt(6)));
            default:
                return l("ge", "$value", l("double", pick("0.5", "2", "-1.25")));
        }
    }

    /** A value expression over $value (and $key when withKey), from type vt to type to. */
    private Object convert(final String vt, final String to, final boolean withKey) {
        if (to.equals("string")) {
            if (withKey && chance(60)) {
                return l("takeLast", l("concat", "$key", pick("-", "/", ":"), "$value"), 12L);
            }
            if (vt.equals("string")) {
                return pick(l("upper", "$value"), l("takeLast", l("concat", "$value", pick("!", "?")), 12L), l("take", "$value", 2L),
                    l("reverse", "$value"), l("if", l("startsWith", "$value", pick(KEYS)), null, "$value"), "$value");
            }
            return pick(l("str", "$value"), l("concat", pick(KEYS), ":", "$value"));
        }
        if (to.equals("long")) {
            if (vt.equals("string")) {
                return pick(l("len", "$value"), l("hash", "$value"), l("mod", l("hash", "$value"), 5L));
            }
            return vt.equals("long")
                ? pick(l("add", "$value", 1L), l("mul", "$value", -3L), l("mod", "$value", 4L), l("if", l("gt", "$value", 4L), null, "$value"))
                : l("toLong", "$value");
        }
        if (to.equals("int")) {
            return vt.equals("string") ? l("toInt", l("len", "$value")) : l("toInt", "$value");
        }
        // double
        if (vt.equals("string")) {
            return l("toDouble", l("len", "$value"));
        }
        return vt.equals("double") ? l("add", "$value", l("double", "0.25")) : l("toDouble", "$value");
    }

    /** A key expression of type kt from a value of type vt. */
    private Object keyFrom(final String kt, final String vt) {
        if (kt.equals("string")) {
            if (vt.equals("string")) {
                return pick(l("take", "$value", 1L), l("before", "$value", ":"), l("after", "$value", ":"), "$value");
            }
            return pick(l("str", "$value"), l("if", l("isNull", "$value"), null, l("concat", "k", "$value")));
        }
        final Object x = vt.equals("string") ? l("mod", l("hash", "$value"), 3L) : l("mod", l("toLong", "$value"), 3L);
        return kt.equals("long") ? x : l("toInt", x);
    }

    private Object joiner(final boolean withKey, final String to, final String lt, final String rt) {
        if (to.equals("string")) {
            return withKey
                ? l("takeLast", l("concat", "$key", "=", "$left", "|", "$right"), 16L)
                : l("takeLast", l("concat", "$left", "|", "$right"), 14L);
        }
        final Object a = l("coalesce", asLong("$left", lt), 0L);
        final Object b = l("coalesce", asLong("$right", rt), 0L);
        return l("add", a, b);
    }

    private Object asLong(final Object x, final String t) {
        return t.equals("string") ? l("len", x) : l("toLong", x);
    }

    private Object addExpr(final String vt, final String at) {
        switch (at) {
            case "string":
                return chance(25) ? l("setAdd", l("takeLast", "$agg", 9L), l("take", l("str", "$value"), 3L)) : l("takeLast", l("concat", "$agg", "+", "$value"), 12L);
            case "long":
                return l("add", "$agg", l("coalesce", asLong("$value", vt), 0L));
            default:
                return l("add", "$agg", vt.equals("double") ? l("coalesce", "$value", l("double", "0")) : l("toDouble", l("coalesce", asLong("$value", vt), 0L)));
        }
    }

    private Object reduceExpr(final String vt) {
        switch (vt) {
            case "string": return pick(l("takeLast", l("concat", "$agg", "+", "$value"), 12L), l("max", "$agg", "$value"), "$value");
            default: return pick(l("add", "$agg", "$value"), l("max", "$agg", "$value"), l("min", "$agg", "$value"));
        }
    }

    private Object subtractExpr(final String vt, final boolean sameType) {
        if (vt.equals("string")) {
            return l("takeLast", l("concat", "$agg", "-", "$value"), 12L);
        }
        return sameType ? l("sub", "$agg", "$value") : "$agg";
    }

    private Object init(final String at) {
        switch (at) {
            case "string": return pick("", "#");
            case "long": return (long) r.nextInt(3);
            default: return l("double", pick("0", "1.5"));
        }
    }

    // ---- stores ----

    private static final int KV = 0;
    private static final int WINDOW = 1;
    private static final int SESSION = 2;

    private Map<String, Object> materialized(final String kt, final String vt, final int kind, final boolean must) {
        if (!must && chance(45)) {
            return null;
        }
        final Map<String, Object> o = new LinkedHashMap<>();
        if (chance(55)) {
            final String n = "st-" + ids++;
            o.put("name", n);
            stores.add(new Object[] {n, kind, kt});
        }
        o.put("key", kt);
        o.put("value", vt);
        if (chance(35)) {
            o.put("storeType", pick("inMemory", "rocksDB"));
        }
        if (chance(30)) {
            o.put("caching", chance(50));
        }
        if (chance(15)) {
            o.put("logging", false);
        }
        return o;
    }

    private void mat(final Map<String, Object> step, final Map<String, Object> o) {
        if (o != null) {
            step.put("materialized", o);
        }
    }

    // ---- sources ----

    private boolean source(final boolean forceStream) {
        final String topic = "in" + inputs.size();
        final String kt = chance(85) ? "string" : pick("long", "int");
        final String vt = pick("string", "string", "string", "long", "long", "double");
        topics.put(topic, serdes(kt, vt));
        inputs.add(topic);
        final int kind = forceStream ? 0 : r.nextInt(10);
        final Map<String, Object> consumed = serdes(kt, vt);
        if (chance(10)) {
            consumed.put("name", "src-" + ids++);
        }
        if (kind >= 8 && kt.equals("string")) {
            final H h = new H(id(), kt, vt, true, null);
            final Map<String, Object> s = m("id", h.id, "op", "globalTable", "topic", topic, "consumed", consumed);
            if (chance(40)) {
                s.put("materialized", m("name", "gst-" + ids++));
            }
            steps.add(s);
            globals.add(h);
        } else if (kind >= 5) {
            final H h = add(new H(id(), kt, vt, true, null));
            final Map<String, Object> s = m("id", h.id, "op", "table", "topic", topic, "consumed", consumed);
            if (chance(20)) {
                h.store = "vst-" + ids++;
                s.put("materialized", m("supplier", m("kind", "persistentVersioned", "name", h.store,
                    "historyRetentionMs", (long) pick(50, 200, 100000))));
                h.versioned = true;
            } else if (chance(40)) {
                h.store = "tst-" + ids++;
                stores.add(new Object[] {h.store, KV, kt});
                final Map<String, Object> o = m("name", h.store);
                if (chance(50)) {
                    o.put("storeType", "inMemory");
                }
                if (chance(30)) {
                    o.put("caching", chance(50));
                }
                s.put("materialized", o);
            }
            steps.add(s);
        } else {
            if (chance(8)) {
                consumed.put("timestampExtractor", m("expr", l("add", "$ts", 3L)));
            }
            final H h = add(new H(id(), kt, vt, false, null));
            steps.add(m("id", h.id, "op", "stream", "topics", l(topic), "consumed", consumed));
        }
        return true;
    }

    // ---- operators ----

    private H stream() {
        final List<H> c = new ArrayList<>();
        for (final H h : handles) {
            if (!h.table) {
                c.add(h);
            }
        }
        return c.isEmpty() ? null : pick(c.subList(Math.max(0, c.size() - 4), c.size()));
    }

    private H table() {
        final List<H> c = new ArrayList<>();
        for (final H h : handles) {
            if (h.table) {
                c.add(h);
            }
        }
        return c.isEmpty() ? null : pick(c.subList(Math.max(0, c.size() - 4), c.size()));
    }

    private H like(final H h, final boolean table, final boolean sameValue) {
        final List<H> c = new ArrayList<>();
        for (final H o : handles) {
            if (o.table == table && o.window == null && o.kt.equals(h.kt) && (!sameValue || o.vt.equals(h.vt))) {
                c.add(o);
            }
        }
        return c.isEmpty() ? null : pick(c);
    }

    private boolean streamOp() {
        final H s = stream();
        if (s == null) {
            return false;
        }
        s.used = true;
        final boolean win = s.window != null;
        switch (r.nextInt(win ? 8 : 25)) {
            case 0:
            case 1: {
                final Map<String, Object> st = m("id", id(), "op", chance(60) ? "filter" : "filterNot", "in", s.id,
                    "predicate", win ? l("not", l("isNull", "$value")) : predicate(s.kt, s.vt));
                name(st, 10);
                steps.add(st);
                final H h = add(new H((String) st.get("id"), s.kt, s.vt, false, s.window));
                h.known = s.known;
                return true;
            }
            case 2: {
                final boolean wk = chance(30) && !win;
                final String to = pick("string", "string", "long", "double", s.vt);
                Object e = convert(s.vt, to, wk);
                if (chance(continueOnError ? 35 : 4)) {
                    e = l("throwIf", s.vt.equals("string") ? l("startsWith", "$value", "d") : l("isNull", "$value"), "boom", e);
                }
                final Map<String, Object> st = m("id", id(), "op", "mapValues", "in", s.id, "value", e);
                if (wk) {
                    st.put("withKey", true);
                }
                name(st, 10);
                steps.add(st);
                final H h = add(new H((String) st.get("id"), s.kt, to, false, s.window));
                h.known = false;
                return true;
            }
            case 3: {
                final String kt = pick("string", "string", "string", "long");
                final Object k = win ? (kt.equals("string") ? l("str", l("wkey", "$key")) : l("wstart", "$key")) : keyFrom(kt, s.vt);
                final Map<String, Object> st = m("id", id(), "op", "selectKey", "in", s.id, "key", k);
                name(st, 10);
                steps.add(st);
                final H h = add(new H((String) st.get("id"), kt, s.vt, false, null));
                h.known = false;
                return true;
            }
            case 4: {
                final String kt = pick("string", "string", "long");
                final String to = pick("string", "long", s.vt);
                final Object k = win ? (kt.equals("string") ? l("concat", l("wkey", "$key")) : l("wend", "$key")) : keyFrom(kt, s.vt);
                final Map<String, Object> st = m("id", id(), "op", "map", "in", s.id, "key", k, "value", convert(s.vt, to, false));
                name(st, 10);
                steps.add(st);
                final H h = add(new H((String) st.get("id"), kt, to, false, null));
                h.known = false;
                return true;
            }
            case 5: {
                final Object list = s.vt.equals("string")
                    ? l("coalesce", pick(l("words", "$value"), l("split", "$value", ":")), l("list"))
                    : l("list", "$value", "$value");
                if (chance(40) && !win) {
                    final Map<String, Object> st = m("id", id(), "op", "flatMap", "in", s.id, "list", list,
                        "key", s.vt.equals("string") ? "$item" : l("str", "$item"), "value", "$item");
                    name(st, 10);
                    steps.add(st);
                    final H h = add(new H((String) st.get("id"), "string", s.vt, false, null));
                    h.known = false;
                    return true;
                }
                final Map<String, Object> st = m("id", id(), "op", "flatMapValues", "in", s.id, "list", list);
                name(st, 10);
                steps.add(st);
                final H h = add(new H((String) st.get("id"), s.kt, s.vt, false, s.window));
                h.known = false;
                return true;
            }
            case 6: {
                final Map<String, Object> st = m("id", id(), "op", "peek", "in", s.id);
                steps.add(st);
                final H h = add(new H((String) st.get("id"), s.kt, s.vt, false, s.window));
                h.known = s.known;
                return true;
            }
            case 7: {
                final int n = 1 + r.nextInt(2);
                final List<Object> branches = new ArrayList<>();
                for (int i = 0; i < n; i++) {
                    final H h = add(new H(id(), s.kt, s.vt, false, s.window));
                    h.known = s.known;
                    final Map<String, Object> b = m("id", h.id, "predicate", win ? l("not", l("isNull", "$value")) : predicate(s.kt, s.vt));
                    if (chance(30)) {
                        b.put("as", "br-" + ids++);
                    }
                    branches.add(b);
                }
                final Map<String, Object> st = m("id", id(), "op", "split", "in", s.id, "branches", branches);
                if (chance(60)) {
                    final H h = add(new H(id(), s.kt, s.vt, false, s.window));
                    h.known = s.known;
                    st.put("default", m("id", h.id));
                }
                if (chance(30)) {
                    st.put("name", "sp-" + ids++ + "-");
                }
                steps.add(st);
                return true;
            }
            case 8: {
                final H o = like(s, false, true);
                if (o == null) {
                    return false;
                }
                o.used = true;
                final Map<String, Object> st = m("id", id(), "op", "merge", "in", s.id, "with", o.id);
                name(st, 10);
                steps.add(st);
                final H h = add(new H((String) st.get("id"), s.kt, s.vt, false, null));
                h.known = false;
                return true;
            }
            case 9: {
                final Map<String, Object> rp = serdes(s.kt, s.vt);
                if (chance(50)) {
                    rp.put("name", "rp-" + ids++);
                }
                if (chance(20)) {
                    rp.put("partitions", 1L + r.nextInt(3));
                }
                final Map<String, Object> st = m("id", id(), "op", "repartition", "in", s.id, "repartitioned", rp);
                steps.add(st);
                add(new H((String) st.get("id"), s.kt, s.vt, false, null));
                return true;
            }
            case 10: {
                final Map<String, Object> st = m("id", id(), "op", "toTable", "in", s.id);
                name(st, 10);
                mat(st, materialized(s.kt, s.vt, KV, true));
                steps.add(st);
                add(new H((String) st.get("id"), s.kt, s.vt, true, null));
                return true;
            }
            case 11: {
                final String topic = "mid" + ids++;
                topics.put(topic, serdes(s.kt, s.vt));
                steps.add(m("op", "to", "in", s.id, "topic", topic, "produced", serdes(s.kt, s.vt)));
                final H h = add(new H(id(), s.kt, s.vt, false, null));
                steps.add(m("id", h.id, "op", "stream", "topics", l(topic), "consumed", serdes(s.kt, s.vt)));
                return true;
            }
            case 12: return joinStreams(s);
            case 13: return joinTables(s);
            case 14: return globals.isEmpty() ? joinStreams(s) : joinGlobals(s);
            case 15: return cogroup(s);
            case 16: return processor(s);
            case 17:
            case 18: return joinTables(s);
            case 19: return globals.isEmpty() ? aggregate(s) : joinGlobals(s);
            default: return aggregate(s);
        }
    }

    private String group(final H s, final String[] outKey) {
        final Map<String, Object> st;
        final String kt;
        if (chance(35)) {
            kt = pick("string", "string", "long");
            st = m("id", id(), "op", "groupBy", "in", s.id, "key", keyFrom(kt, s.vt));
        } else {
            kt = s.kt;
            st = m("id", id(), "op", "groupByKey", "in", s.id);
        }
        final Map<String, Object> g = serdes(kt, s.vt);
        if (chance(20)) {
            g.put("name", "gr-" + ids++);
        }
        st.put("grouped", g);
        steps.add(st);
        outKey[0] = kt;
        return (String) st.get("id");
    }

    private boolean aggregate(final H s) {
        final String[] key = new String[1];
        final String g = group(s, key);
        return aggregateOn(g, key[0], s.vt, false);
    }

    private Map<String, Object> window(final String[] serdeOut, final String kt, final boolean[] session) {
        final Long grace = chance(70) ? (Long) (long) pick(0, 3, 10, 30) : null;
        final Map<String, Object> w;
        switch (r.nextInt(5)) {
            case 0:
            case 1: {
                final long size = pick(5, 10, 20);
                w = m("type", "time", "sizeMs", size);
                if (chance(40)) {
                    w.put("advanceMs", (long) pick(2, 5));
                }
                serdeOut[0] = "timeWindowed:" + kt + ":" + size;
                break;
            }
            case 2: {
                final long d = pick(5, 10, 20);
                w = m("type", "sliding", "diffMs", d);
                serdeOut[0] = "timeWindowed:" + kt + ":" + d;
                break;
            }
            default:
                w = m("type", "session", "gapMs", (long) pick(3, 10));
                serdeOut[0] = "sessionWindowed:" + kt;
                session[0] = true;
        }
        if (grace != null) {
            w.put("graceMs", grace);
        }
        return w;
    }

    private boolean aggregateOn(final String grouped, final String kt, final String vt, final boolean cogrouped) {
        String in = grouped;
        String serde = null;
        boolean finalResult = false;
        final boolean[] session = new boolean[1];
        if (chance(55)) {
            final String[] out = new String[1];
            final Map<String, Object> w = window(out, kt, session);
            serde = out[0];
            final Map<String, Object> st = m("id", id(), "op", "windowedBy", "in", grouped, "window", w);
            if (!cogrouped && chance(25)) {
                final String e = pick("onWindowClose", "onWindowClose", "onWindowUpdate");
                st.put("emit", e);
                finalResult = e.equals("onWindowClose");
            }
            steps.add(st);
            in = (String) st.get("id");
        }
        final int kind = serde == null ? KV : session[0] ? SESSION : WINDOW;
        final int what = cogrouped ? 2 : r.nextInt(3);
        final Map<String, Object> st;
        final String at;
        if (what == 0) {
            at = "long";
            st = m("id", id(), "op", "count", "in", in);
            mat(st, materialized(kt, at, kind, false));
        } else if (what == 1) {
            at = vt;
            st = m("id", id(), "op", "reduce", "in", in, "add", reduceExpr(vt));
            mat(st, materialized(kt, at, kind, false));
        } else {
            at = cogrouped ? vt : pick("string", "long", "double");
            st = m("id", id(), "op", "aggregate", "in", in, "init", init(at));
            if (!cogrouped) {
                st.put("add", addExpr(vt, at));
            }
            if (session[0]) {
                st.put("merge", at.equals("string") ? l("takeLast", l("concat", "$left", "~", "$right"), 12L) : l("add", "$left", "$right"));
            }
            mat(st, materialized(kt, at, kind, true));
        }
        name(st, 12);
        steps.add(st);
        final H h = add(new H((String) st.get("id"), kt, at, true, serde));
        h.sessionOrFinal = finalResult;
        return true;
    }

    private boolean cogroup(final H s) {
        final H o = like(s, false, false);
        if (o == null) {
            return false;
        }
        o.used = true;
        final String at = pick("string", "long");
        final String g1 = id();
        final String g2 = id();
        steps.add(m("id", g1, "op", "groupByKey", "in", s.id, "grouped", serdes(s.kt, s.vt)));
        steps.add(m("id", g2, "op", "groupByKey", "in", o.id, "grouped", serdes(o.kt, o.vt)));
        final String c = id();
        steps.add(m("id", c, "op", "cogroup", "streams", l(m("in", g1, "add", addExpr(s.vt, at)), m("in", g2, "add", addExpr(o.vt, at)))));
        return aggregateOn(c, s.kt, at, true);
    }

    private boolean joinStreams(final H s) {
        final H o = like(s, false, false);
        if (o == null) {
            return false;
        }
        o.used = true;
        final String to = pick("string", "string", "long");
        final boolean wk = chance(25) && to.equals("string");
        final Map<String, Object> w = m("diffMs", (long) pick(0, 5, 10, 20));
        if (chance(60)) {
            w.put("graceMs", (long) pick(0, 5, 20));
        }
        if (chance(15)) {
            w.put("beforeMs", (long) pick(0, 3, 15));
        }
        if (chance(15)) {
            w.put("afterMs", (long) pick(0, 3, 15));
        }
        final Map<String, Object> sj = m("key", s.kt, "value", s.vt, "otherValue", o.vt);
        if (chance(25)) {
            sj.put("name", "jn-" + ids++);
        }
        if (chance(25)) {
            sj.put("storeName", "js-" + ids++);
        }
        if (chance(30)) {
            sj.put("storeType", pick("inMemory", "rocksDB"));
        }
        if (chance(10)) {
            sj.put("logging", false);
        }
        final Map<String, Object> st = m("id", id(), "op", "joinStream", "in", s.id, "with", o.id, "type", pick("inner", "left", "outer"),
            "joiner", joiner(wk, to, s.vt, o.vt), "window", w, "streamJoined", sj);
        if (wk) {
            st.put("withKey", true);
        }
        steps.add(st);
        final H h = add(new H((String) st.get("id"), s.kt, to, false, null));
        h.known = false;
        return true;
    }

    private boolean joinTables(final H s) {
        final H t = like(s, true, false);
        if (t == null) {
            return false;
        }
        t.used = true;
        final String to = pick("string", "string", "long");
        final boolean wk = chance(25) && to.equals("string");
        final Map<String, Object> j = m("key", s.kt, "value", s.vt, "otherValue", t.vt);
        if (chance(25)) {
            j.put("name", "jt-" + ids++);
        }
        if (t.versioned && chance(40)) {
            j.put("graceMs", (long) pick(0, 5, 20));
        }
        final Map<String, Object> st = m("id", id(), "op", "joinTable", "in", s.id, "with", t.id, "type", pick("inner", "left"),
            "joiner", joiner(wk, to, s.vt, t.vt), "joined", j);
        if (wk) {
            st.put("withKey", true);
        }
        steps.add(st);
        final H h = add(new H((String) st.get("id"), s.kt, to, false, null));
        h.known = false;
        return true;
    }

    private boolean joinGlobals(final H s) {
        final H g = pick(globals);
        final String to = pick("string", "string", "long");
        final boolean wk = chance(25) && to.equals("string");
        final Map<String, Object> st = m("id", id(), "op", "joinGlobal", "in", s.id, "with", g.id, "type", pick("inner", "left"),
            "selector", chance(50) && s.kt.equals("string") ? "$key" : keyFrom("string", s.vt), "joiner", joiner(wk, to, s.vt, g.vt));
        if (wk) {
            st.put("withKey", true);
        }
        name(st, 15);
        steps.add(st);
        final H h = add(new H((String) st.get("id"), s.kt, to, false, null));
        h.known = false;
        return true;
    }

    private Map<String, Object> kvStore(final String name, final String kt, final String vt) {
        final Map<String, Object> o = m("builder", "keyValue", "key", kt, "value", vt,
            "supplier", m("kind", pick("inMemoryKeyValue", "persistentKeyValue"), "name", name));
        if (chance(30)) {
            o.put("caching", true);
        }
        if (chance(20)) {
            o.put("logging", false);
        }
        return o;
    }

    /** The body of a random processor; the store, when there is one, is a key-value store of the stream's key type. */
    private Map<String, Object> program(final String kt, final String vt, final String store, final String to, final boolean fixed) {
        final List<Object> body = new ArrayList<>();
        final List<Object> init = new ArrayList<>();
        final Map<String, Object> p = new LinkedHashMap<>();
        if (store == null) {
            if (chance(40)) {
                body.add(m("header", pick("h", "g"), "value", pick("$ts", l("str", "$value"), null)));
            }
            body.add(m("forward", m("value", l("takeLast", l("concat", "$value", "/", pick(l("ctx", "topic"), l("ctx", "offset"), l("ctx", "streamTime"), l("headers"))), 14L))));
            if (!fixed && chance(40)) {
                body.add(m("forward", m("value", l("concat", "p", l("str", "$ts")), "ts", l("add", "$ts", (long) r.nextInt(5)))));
            }
        } else if (to.equals("long")) {
            body.add(m("if", l("isNull", "$key"), "then", l(), "else", l(
                m("let", "n", "be", l("add", l("coalesce", l("get", store, "$key"), 0L), 1L)),
                m("put", store, "key", "$key", "value", chance(30) ? l("if", l("gt", "$n", 2L), null, "$n") : "$n"),
                m("forward", m("value", "$n")))));
        } else {
            body.add(m("if", l("isNull", "$key"), "then", l(m("effect", "null key")), "else", l(
                m("put", store, "key", "$key", "value", l("takeLast", l("concat", l("get", store, "$key"), ",", "$value"), 12L)))));
            final String type = pick("STREAM_TIME", "WALL_CLOCK_TIME");
            final List<Object> flush = l(m("scan", store, "mode", pick("all", "reverseAll"), "do", l(
                m(fixed ? "effect" : "forward", fixed ? "$itValue" : m("key", "$itKey", "value", "$itValue")),
                m("delete", store, "key", "$itKey"))));
            init.add(m("schedule", m("name", "flush", "type", type, "everyMs", (long) pick(5, 20, 50), "do", flush)));
            body.add(m("forward", m("value", l("get", store, l("coalesce", "$key", kt.equals("string") ? "zz" : kt.equals("long") ? (Object) 0L : l("int", 0))))));
        }
        if (!init.isEmpty()) {
            p.put("init", init);
        }
        p.put("process", body);
        return p;
    }

    private boolean processor(final H s) {
        final boolean fixed = chance(40);
        final String to;
        String store = null;
        final Map<String, Object> st = m("id", id(), "op", fixed ? "processValues" : "process", "in", s.id);
        if (chance(65)) {
            to = pick("long", "string");
            store = "ps-" + ids++;
            final Map<String, Object> spec = kvStore(store, s.kt, to);
            if (chance(50)) {
                steps.add(m("op", "stateStore", "store", spec));
                st.put("program", program(s.kt, s.vt, store, to, fixed));
                st.put("stores", l(store));
            } else {
                final Map<String, Object> p = program(s.kt, s.vt, store, to, fixed);
                p.put("provides", l(spec));
                st.put("program", p);
            }
        } else {
            to = "string";
            st.put("program", program(s.kt, s.vt, null, to, fixed));
        }
        name(st, 15);
        steps.add(st);
        final H h = add(new H((String) st.get("id"), s.kt, to, false, null));
        h.known = false;
        return true;
    }

    private boolean tableOp() {
        final H t = table();
        if (t == null) {
            return false;
        }
        t.used = true;
        final boolean win = t.window != null;
        switch (r.nextInt(win ? 6 : 13)) {
            case 0: {
                final Map<String, Object> st = m("id", id(), "op", chance(60) ? "filter" : "filterNot", "in", t.id,
                    "predicate", win ? l("not", l("isNull", "$value")) : predicate(t.kt, t.vt));
                name(st, 10);
                if (!win && chance(35)) {
                    mat(st, materialized(t.kt, t.vt, KV, true));
                }
                steps.add(st);
                final H h = add(new H((String) st.get("id"), t.kt, t.vt, true, t.window));
                h.known = t.known || st.containsKey("materialized");
                return true;
            }
            case 1: {
                final String to = pick("string", "long", t.vt);
                final boolean wk = chance(30) && !win;
                final Map<String, Object> st = m("id", id(), "op", "mapValues", "in", t.id, "value", convert(t.vt, to, wk));
                if (wk) {
                    st.put("withKey", true);
                }
                name(st, 10);
                if (!win && chance(35)) {
                    mat(st, materialized(t.kt, to, KV, true));
                }
                steps.add(st);
                final H h = add(new H((String) st.get("id"), t.kt, to, true, t.window));
                h.known = st.containsKey("materialized");
                return true;
            }
            case 2:
            case 3: {
                final Map<String, Object> st = m("id", id(), "op", "toStream", "in", t.id);
                String window = t.window;
                if (win && chance(50)) {
                    st.put("key", l("wkey", "$key"));
                    window = null;
                }
                name(st, 10);
                steps.add(st);
                final H h = add(new H((String) st.get("id"), t.kt, t.vt, false, window));
                h.known = t.known && !st.containsKey("key");
                return true;
            }
            case 4:
            case 5:
                return suppress(t);
            case 6:
            case 7: {
                final String kt = pick("string", "string", "long");
                final String vt = pick("string", "long", t.vt);
                final Map<String, Object> g = m("id", id(), "op", "groupBy", "in", t.id, "key", keyFrom(kt, t.vt), "value", convertNonNull(t.vt, vt),
                    "grouped", serdes(kt, vt));
                steps.add(g);
                final String gid = (String) g.get("id");
                final Map<String, Object> st;
                final String at;
                switch (r.nextInt(3)) {
                    case 0:
                        at = "long";
                        st = m("id", id(), "op", "count", "in", gid);
                        mat(st, materialized(kt, at, KV, false));
                        break;
                    case 1:
                        at = vt;
                        st = m("id", id(), "op", "reduce", "in", gid, "add", reduceExpr(vt), "subtract", subtractExpr(vt, true));
                        mat(st, materialized(kt, at, KV, false));
                        break;
                    default:
                        at = pick("string", "long");
                        st = m("id", id(), "op", "aggregate", "in", gid, "init", init(at), "add", addExpr(vt, at), "subtract",
                            at.equals("string") ? subtractExpr("string", true) : l("sub", "$agg", l("coalesce", asLong("$value", vt), 0L)));
                        mat(st, materialized(kt, at, KV, true));
                }
                name(st, 10);
                steps.add(st);
                add(new H((String) st.get("id"), kt, at, true, null));
                return true;
            }
            case 8:
            case 9: {
                final H o = like(t, true, false);
                if (o == null) {
                    return false;
                }
                o.used = true;
                final String to = pick("string", "string", "long");
                final Map<String, Object> st = m("id", id(), "op", "tableJoin", "in", t.id, "with", o.id, "type", pick("inner", "left", "outer"),
                    "joiner", joiner(false, to, t.vt, o.vt));
                name(st, 10);
                if (chance(40)) {
                    mat(st, materialized(t.kt, to, KV, true));
                }
                steps.add(st);
                final H h = add(new H((String) st.get("id"), t.kt, to, true, null));
                h.known = st.containsKey("materialized");
                return true;
            }
            case 10:
            case 11: {
                final List<H> c = new ArrayList<>();
                for (final H o : handles) {
                    if (o.table && o.window == null && o.kt.equals("string") && (o.known || o.vt.equals("string"))) {
                        c.add(o);
                    }
                }
                if (c.isEmpty() || !(t.known || t.vt.equals("string") && t.kt.equals("string"))) {
                    return false;
                }
                final H o = pick(c);
                o.used = true;
                final String to = pick("string", "string", "long");
                final boolean wk = chance(20);
                final Map<String, Object> st = m("id", id(), "op", "fkJoin", "in", t.id, "with", o.id, "type", pick("inner", "left"),
                    "foreignKey", wk ? l("take", l("str", "$key"), 1L) : keyFrom("string", t.vt), "joiner", joiner(false, to, t.vt, o.vt));
                if (wk) {
                    st.put("withKey", true);
                }
                if (chance(20)) {
                    st.put("tableJoined", m("name", "fk-" + ids++));
                }
                if (chance(50) || !to.equals("string")) {
                    mat(st, materialized(t.kt, to, KV, true));
                }
                steps.add(st);
                final H h = add(new H((String) st.get("id"), t.kt, to, true, null));
                h.known = st.containsKey("materialized");
                return true;
            }
            default: {
                final Map<String, Object> st = m("id", id(), "op", "transformValues", "in", t.id, "program", m("process", l(
                    m("effect", l("concat", "$key", "=", "$value")),
                    m("return", l("if", l("isNull", "$value"), null, l("takeLast", l("concat", "$value", "#", l("ctx", "offset")), 12L))))));
                name(st, 10);
                if (chance(40)) {
                    mat(st, materialized(t.kt, "string", KV, true));
                }
                steps.add(st);
                final H h = add(new H((String) st.get("id"), t.kt, "string", true, null));
                h.known = st.containsKey("materialized");
                return true;
            }
        }
    }

    /** Like convert, but never null for a value that is there (a grouped table's values must not be null to count). */
    private Object convertNonNull(final String vt, final String to) {
        if (to.equals(vt)) {
            return "$value";
        }
        if (to.equals("string")) {
            return l("str", "$value");
        }
        return to.equals("long") ? (vt.equals("string") ? l("len", "$value") : l("toLong", "$value"))
            : vt.equals("string") ? l("toDouble", l("len", "$value")) : l("toDouble", "$value");
    }

    private boolean suppress(final H t) {
        if (!t.known && !(t.kt.equals("string") && t.vt.equals("string") && t.window == null)) {
            return false;
        }
        final Map<String, Object> st = m("id", id(), "op", "suppress", "in", t.id);
        if (t.window != null && chance(65) && !t.sessionOrFinal) {
            st.put("until", "windowCloses");
            if (chance(20)) {
                st.put("buffer", m("maxRecords", (long) pick(2, 50), "full", "shutDown"));
            }
        } else {
            st.put("until", "timeLimit");
            st.put("timeMs", (long) pick(0, 5, 20, 100));
            if (chance(50)) {
                st.put("buffer", chance(50) ? m("maxRecords", (long) pick(1, 2, 3)) : m("maxBytes", (long) pick(80, 150, 400)));
            }
        }
        if (chance(15)) {
            st.put("name", "sup-" + ids++);
        }
        steps.add(st);
        add(new H((String) st.get("id"), t.kt, t.vt, true, t.window));
        return true;
    }

    private boolean sink(final H h) {
        final String ks = keySerde(h);
        String in = h.id;
        if (h.table) {
            in = id();
            steps.add(m("id", in, "op", "toStream", "in", h.id));
        }
        final String topic = "out" + ids++;
        topics.put(topic, serdes(ks, h.vt));
        final Map<String, Object> produced = serdes(ks, h.vt);
        if (chance(5) && h.window == null && !h.table) {
            produced.put("partitioner", pick(l("mod", l("hash", "$key"), 3L), null, l("list", 1L, 0L)));
        }
        steps.add(m("op", "to", "in", in, "topic", topic, "produced", produced));
        return true;
    }

    // ---- low level ----

    private void lowLevel() {
        final int sources = 1 + r.nextInt(2);
        final List<String> parents = new ArrayList<>();
        for (int i = 0; i < sources; i++) {
            final String topic = "in" + i;
            topics.put(topic, serdes("string", "string"));
            inputs.add(topic);
            final String n = "source-" + i;
            steps.add(m("op", "addSource", "name", n, "topics", l(topic), "key", "string", "value", "string"));
            parents.add(n);
        }
        String gstore = null;
        if (chance(30)) {
            gstore = "g-store";
            topics.put("inG", serdes("string", "string"));
            inputs.add("inG");
            steps.add(m("op", "addGlobalStore", "store", m("builder", "keyValue", "key", "string", "value", "string", "logging", false,
                "supplier", m("kind", "inMemoryKeyValue", "name", gstore)), "source", "g-source", "topic", "inG", "key", "string", "value", "string",
                "processor", "g-proc", "program", m("process", l(m("if", l("isNull", "$key"), "then", l(), "else", l(m("put", gstore, "key", "$key", "value", "$value")))))));
        }
        final int procs = 1 + r.nextInt(4);
        final List<String> connect = new ArrayList<>();
        for (int i = 0; i < procs; i++) {
            final String n = "proc-" + i;
            final List<Object> ps = l(pick(parents));
            if (chance(25)) {
                final String other = pick(parents);
                if (!ps.contains(other)) {
                    ps.add(other);
                }
            }
            final Map<String, Object> program;
            if (gstore != null && chance(40)) {
                program = m("process", l(m("forward", m("value", l("takeLast", l("concat", "$value", "&", l("get", gstore, l("coalesce", "$key", "zz"))), 12L)))));
            } else if (chance(55)) {
                final String store = "store-" + i;
                final String to = "string";
                program = program("string", "string", store, to, false);
                connect.add(n + "|" + store);
            } else {
                program = program("string", "string", null, "string", false);
            }
            steps.add(m("op", "addProcessor", "name", n, "parents", ps, "program", program));
            parents.add(n);
        }
        for (final String c : connect) {
            final String[] p = c.split("\\|");
            final Map<String, Object> st = m("op", "addStateStore", "store", kvStore(p[1], "string", "string"));
            if (chance(50)) {
                st.put("processors", l(p[0]));
                steps.add(st);
            } else {
                steps.add(st);
                steps.add(m("op", "connectStores", "processor", p[0], "stores", l(p[1])));
            }
        }
        for (int i = 0; i < 1 + r.nextInt(2); i++) {
            final String topic = "out" + i;
            topics.put(topic, serdes("string", "string"));
            steps.add(m("op", "addSink", "name", "sink-" + i, "topic", topic, "key", "string", "value", "string",
                "parents", l(i == 0 ? parents.get(parents.size() - 1) : pick(parents))));
        }
    }

    // ---- inputs ----

    /** A key as an expression. */
    private Object keyExpr(final String kt) {
        switch (kt) {
            case "string": return pick(KEYS);
            case "long": return (long) r.nextInt(4) - 1;
            default: return l("int", r.nextInt(4) - 1);
        }
    }

    private Map<String, Object> query() {
        final Object[] st = pick(stores);
        final String kt = (String) st[2];
        final Map<String, Object> q = m("store", st[0]);
        final long t1 = r.nextInt(60);
        final long t2 = t1 + r.nextInt(100);
        switch ((Integer) st[1]) {
            case KV:
                switch (r.nextInt(4)) {
                    case 0:
                        q.put("mode", "get");
                        q.put("key", keyExpr(kt));
                        break;
                    case 1:
                        q.put("mode", pick("range", "reverseRange"));
                        q.put("from", keyExpr(kt));
                        q.put("to", keyExpr(kt));
                        break;
                    case 2:
                        q.put("mode", pick("all", "reverseAll"));
                        break;
                    default:
                        q.put("mode", "iq2");
                        q.put("type", "range");
                        if (chance(50)) {
                            q.put("from", keyExpr(kt));
                        }
                        q.put("descending", chance(50));
                }
                break;
            case WINDOW:
                switch (r.nextInt(4)) {
                    case 0:
                        q.put("mode", pick("fetch", "backwardFetch"));
                        q.put("key", keyExpr(kt));
                        q.put("timeFrom", t1);
                        q.put("timeTo", t2);
                        break;
                    case 1:
                        q.put("mode", pick("fetch", "backwardFetch"));
                        q.put("from", keyExpr(kt));
                        q.put("to", keyExpr(kt));
                        q.put("timeFrom", t1);
                        q.put("timeTo", t2);
                        break;
                    case 2:
                        q.put("mode", pick("fetchAll", "backwardFetchAll"));
                        q.put("timeFrom", t1);
                        q.put("timeTo", t2);
                        break;
                    default:
                        q.put("mode", pick("all", "reverseAll"));
                }
                break;
            default:
                if (chance(50)) {
                    q.put("mode", pick("fetch", "backwardFetch"));
                    q.put("key", keyExpr(kt));
                } else {
                    q.put("mode", pick("findSessions", "backwardFindSessions"));
                    q.put("key", keyExpr(kt));
                    q.put("earliestEnd", t1);
                    q.put("latestStart", t2);
                }
        }
        return q;
    }

    private Object keyOf(final String kt) {
        if (chance(5)) {
            return null;
        }
        switch (kt) {
            case "string": return pick(KEYS);
            default: return (long) r.nextInt(4) - 1;
        }
    }

    private Object valueOf(final String vt, final boolean bytesAllowed) {
        if (chance(11)) {
            return null;
        }
        if (bytesAllowed && chance(4) && !vt.equals("string")) {
            return m("hex", pick("", "00", "0102"));
        }
        switch (vt) {
            case "string":
                switch (r.nextInt(5)) {
                    case 0: return pick(KEYS) + " " + pick(KEYS) + r.nextInt(10);
                    case 1: return pick(KEYS);
                    case 2: return pick(KEYS) + r.nextInt(10);
                    default: return pick(KEYS) + ":" + r.nextInt(10);
                }
            case "long": return (long) r.nextInt(10) - 2;
            case "int": return (long) r.nextInt(10) - 2;
            default: return (r.nextInt(40) - 8) / 4.0;
        }
    }

    @SuppressWarnings("unchecked")
    private Map<String, Object> make(final String name) {
        config("statestore.cache.max.bytes", pick("0", "0", "10485760", "10485760", "600"));
        config("default.key.serde", "string");
        config("default.value.serde", "string");
        if (chance(40)) {
            config("topology.optimization", pick("all", "all", "none", "merge.repartition.topics", "reuse.ktable.source.topics", "single.store.self.join"));
        }
        config("dsl.store.suppliers.class", pick("inMemory", "inMemory", "rocksDB"));
        if (chance(8)) {
            config("dsl.store.format", "headers");
        }
        if (chance(20)) {
            continueOnError = filter.allowsConfig("processing.exception.handler");
            config("processing.exception.handler", "logAndContinue");
        }
        final boolean skipBad = chance(40) && filter.allowsConfig("deserialization.exception.handler");
        if (skipBad) {
            config("deserialization.exception.handler", "logAndContinue");
        }
        if (chance(15)) {
            config("errors.dead.letter.queue.topic.name", "dlq");
        }
        final boolean low = chance(8) && draw(() -> {
            lowLevel();
            return true;
        });
        if (!low) {
            final int sources = 1 + r.nextInt(3);
            for (int i = 0; i < sources; i++) {
                final boolean forceStream = i == 0 && chance(70);
                for (int tries = 0; tries < 50 && !draw(() -> source(forceStream)); tries++) {
                    // what was drawn is not allowed
                }
            }
            if (handles.isEmpty() && !draw(() -> source(true))) {
                throw new IllegalArgumentException("no source is allowed: " + filter);
            }
            final int want = 1 + r.nextInt(7);
            int made = 0;
            for (int tries = 0; made < want && tries < (filter.limitsOps() ? 400 : 40); tries++) {
                if (chance(55) ? draw(this::streamOp) : draw(this::tableOp)) {
                    made++;
                }
            }
            int sinks = 0;
            for (final H h : new ArrayList<>(handles)) {
                if ((!h.used || chance(12)) && (sinks < 4)) {
                    if (draw(() -> sink(h))) {
                        sinks++;
                    }
                }
            }
        }
        final List<Object> in = new ArrayList<>();
        final int n = 5 + r.nextInt(21);
        long now = r.nextInt(30);
        for (int i = 0; i < n; i++) {
            if (chance(6)) {
                in.add(m("advance", (long) pick(1, 10, 60)));
                continue;
            }
            if (!stores.isEmpty() && filter.allows("query") && chance(6)) {
                Map<String, Object> q = query();
                while (!filter.allowsQuery(q)) {
                    q = query();
                }
                in.add(m("query", q));
                continue;
            }
            final String topic = pick(inputs);
            final Map<String, Object> decl = (Map<String, Object>) topics.get(topic);
            now += chance(5) ? 150 : r.nextInt(9);
            final long ts = Math.max(0, chance(25) ? now - r.nextInt(50) : now);
            final Map<String, Object> rec = m("topic", topic, "key", keyOf((String) decl.get("key")),
                "value", valueOf((String) decl.get("value"), skipBad), "ts", ts);
            if (chance(10)) {
                rec.put("headers", l(l("h", pick("x", "y"))));
            }
            in.add(m("record", rec));
        }
        final Map<String, Object> out = m("name", name, "config", config, "topics", topics, "topology", steps, "inputs", in);
        out.put("probe", m("versionedKeys", l("a", "b", "c", "d")));
        return out;
    }
}
