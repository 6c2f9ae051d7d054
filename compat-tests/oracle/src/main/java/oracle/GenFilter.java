package oracle;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Limits what the generator may use. A word is the op of a step or one of the features that are not ops:
 * "versioned" (a versioned store), "query" (a query input) and "iq2" (a query of mode iq2, needs "query" too).
 */
final class GenFilter {
    private final Set<String> words;
    private final Set<String> configKeys;

    /** A null set allows everything. */
    GenFilter(final Set<String> words, final Set<String> configKeys) {
        this.words = words;
        this.configKeys = configKeys;
    }

    static GenFilter none() {
        return new GenFilter(null, null);
    }

    /** Reads the options after the fixed arguments of gen. */
    static GenFilter parse(final List<String> args) {
        Set<String> words = null;
        Set<String> keys = null;
        for (int i = 0; i < args.size(); i += 2) {
            if (i + 1 == args.size()) {
                throw new IllegalArgumentException(args.get(i) + " needs a value");
            }
            final Set<String> set = new HashSet<>(Arrays.asList(args.get(i + 1).split(",")));
            switch (args.get(i)) {
                case "--ops": words = set; break;
                case "--config-only": keys = set; break;
                default: throw new IllegalArgumentException("unknown option " + args.get(i));
            }
        }
        return new GenFilter(words, keys);
    }

    boolean limitsOps() {
        return words != null;
    }

    boolean allows(final String word) {
        return words == null || words.contains(word);
    }

    /** The cache size is always allowed: no scenario is valid without it. */
    boolean allowsConfig(final String key) {
        return configKeys == null || configKeys.contains(key) || key.equals("statestore.cache.max.bytes");
    }

    boolean allowsSteps(final List<Object> steps) {
        for (final Object s : steps) {
            if (!allowsStep((Map<?, ?>) s)) {
                return false;
            }
        }
        return true;
    }

    private boolean allowsStep(final Map<?, ?> step) {
        if (!allows((String) step.get("op"))) {
            return false;
        }
        final Object m = step.get("materialized");
        if (m instanceof Map && ((Map<?, ?>) m).get("supplier") instanceof Map) {
            final Map<?, ?> supplier = (Map<?, ?>) ((Map<?, ?>) m).get("supplier");
            return !"persistentVersioned".equals(supplier.get("kind")) || allows("versioned");
        }
        return true;
    }

    boolean allowsQuery(final Map<String, Object> query) {
        return !"iq2".equals(query.get("mode")) || allows("iq2");
    }

    /** Words of a comma-separated list, for messages. */
    @Override
    public String toString() {
        return "ops " + (words == null ? "all" : new ArrayList<>(words)) + ", config " + (configKeys == null ? "all" : new ArrayList<>(configKeys));
    }
}
