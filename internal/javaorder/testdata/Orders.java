// Writes orders.json: what the collections of this JVM do. Run it with
//   java Orders.java > orders.json
import java.util.*;

public class Orders {
    static final Random RANDOM = new Random(42);
    static final StringBuilder OUT = new StringBuilder();
    static boolean first = true;

    static String quote(String s) {
        StringBuilder b = new StringBuilder("\"");
        for (char c : s.toCharArray()) {
            if (c < 0x20 || c > 0x7e || c == '"' || c == '\\') b.append(String.format("\\u%04x", (int) c));
            else b.append(c);
        }
        return b.append('"').toString();
    }

    static String list(Iterable<String> l) {
        StringJoiner j = new StringJoiner(",", "[", "]");
        for (String s : l) j.add(quote(s));
        return j.toString();
    }

    static void emit(String line) {
        OUT.append(first ? "" : ",\n").append(line);
        first = false;
    }

    static List<String> names(int kind, int n) {
        List<String> l = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            switch (kind) {
                case 0: l.add(String.format("app-KSTREAM-AGGREGATE-STATE-STORE-%010d-changelog", RANDOM.nextInt(60))); break;
                case 1: l.add("topic-" + RANDOM.nextInt(1000)); break;
                case 2: l.add(new String(Character.toChars(0x1f600 + RANDOM.nextInt(80))) + "\u00e9\uffee" + RANDOM.nextInt(9)); break;
                default: l.add(Long.toString(RANDOM.nextLong(), 36)); break;
            }
        }
        return l;
    }

    // Strings of one hash code: every group of two letters is "Aa" or "BB".
    static List<String> colliding(int n) {
        List<String> l = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            StringBuilder b = new StringBuilder();
            for (int bit = 0; bit < 4; bit++) b.append((i >> bit & 1) == 0 ? "Aa" : "BB");
            l.add(b.toString());
        }
        return l;
    }

    static void sets() {
        List<List<String>> inputs = new ArrayList<>();
        for (int n : new int[] {1, 5, 12, 13, 25, 49}) {
            for (int kind = 0; kind < 4; kind++) inputs.add(names(kind, n));
        }
        // The ninth colliding entry doubles a table of 16, the tenth one of 32.
        for (int n = 7; n <= 10; n++) inputs.add(colliding(n));
        for (List<String> in : inputs) {
            Set<String> incremental = new HashSet<>();
            for (String s : in) incremental.add(s);
            Set<String> changed = new HashSet<>();
            for (String s : in) changed.add(s);
            List<String> removed = new ArrayList<>();
            // Ten colliding entries leave a table of 64, where one more addition makes a tree.
            for (int i = 0; i < in.size() && in.size() != 10; i += 3) removed.add(in.get(i));
            for (String s : removed) changed.remove(s);
            String afterRemove = list(changed);
            for (String s : removed) changed.add(s);
            String afterAdd = list(changed);
            changed.clear();
            for (String s : removed) changed.add(s);
            emit("{\"kind\":\"set\",\"in\":" + list(in) + ",\"copied\":" + list(new HashSet<>(in)) + ",\"incremental\":" + list(incremental)
                + ",\"removed\":" + list(removed) + ",\"afterRemove\":" + afterRemove + ",\"afterAdd\":" + afterAdd + ",\"afterClear\":" + list(changed) + "}");
        }
    }

    static void setsOfSets() {
        for (int round = 0; round < 8; round++) {
            Set<Set<String>> all = new HashSet<>();
            StringJoiner in = new StringJoiner(",", "[", "]");
            for (int i = 0; i < 3 + 4 * round; i++) {
                List<String> l = names(round % 4, 1 + RANDOM.nextInt(4));
                in.add(list(l));
                all.add(new HashSet<>(l));
            }
            StringJoiner out = new StringJoiner(",", "[", "]");
            for (Set<String> s : all) out.add(list(s));
            emit("{\"kind\":\"sets\",\"in\":" + in + ",\"out\":" + out + "}");
        }
    }

    static void hashes() {
        for (int i = 0; i < 12; i++) {
            byte[] b = new byte[i * 3];
            RANDOM.nextBytes(b);
            StringBuilder hex = new StringBuilder();
            for (byte x : b) hex.append(String.format("%02x", x));
            emit("{\"kind\":\"bytes\",\"hex\":\"" + hex + "\",\"hash\":" + Arrays.hashCode(b) + "}");
        }
        for (String s : names(2, 6)) emit("{\"kind\":\"string\",\"s\":" + quote(s) + ",\"hash\":" + s.hashCode() + "}");
        String[] order = {"", "a", "ab", "b", "\u00e9", "\ud83d\ude00", "\ue000", "\uffee", "\ud83d\ude01x"};
        List<String> sorted = new ArrayList<>(List.of(order));
        Collections.sort(sorted);
        emit("{\"kind\":\"sorted\",\"out\":" + list(sorted) + "}");
    }

    // Elements are "priority:name"; only the priority is compared.
    static void queues() {
        for (int round = 0; round < 8; round++) {
            PriorityQueue<String> q = new PriorityQueue<>(Comparator.comparingInt(s -> Integer.parseInt(s.split(":")[0])));
            List<String> steps = new ArrayList<>();
            int next = 0;
            for (int i = 0; i < 60; i++) {
                int dice = RANDOM.nextInt(10);
                String step;
                if (dice < 6) {
                    String x = RANDOM.nextInt(1 + round) + ":" + next++;
                    q.offer(x);
                    step = "offer " + x;
                } else if (dice < 8) {
                    step = "poll " + q.poll();
                } else {
                    List<String> all = new ArrayList<>(q);
                    if (all.isEmpty()) continue;
                    String x = all.get(RANDOM.nextInt(all.size()));
                    q.remove(x);
                    step = "remove " + x;
                }
                steps.add(step + " = " + String.join(" ", q));
            }
            while (!q.isEmpty()) steps.add("poll " + q.poll() + " = " + String.join(" ", q));
            emit("{\"kind\":\"queue\",\"steps\":" + list(steps) + "}");
        }
    }

    public static void main(String[] args) {
        sets();
        setsOfSets();
        hashes();
        queues();
        System.out.println("[\n" + OUT + "\n]");
    }
}
