package org.apache.kafka.streams;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Properties;
import java.util.Random;
import java.util.stream.Collectors;

import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.processor.StateStore;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorSupplier;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.processor.internals.InternalTopologyBuilder;
import org.apache.kafka.streams.processor.internals.ProcessorTopology;
import org.apache.kafka.streams.state.Stores;

/**
 * Writes topologies.json: random topologies of Kafka Streams with what a JVM makes of them. Arguments: the first seed and
 * the number of topologies. Compile it with kafka-streams on the class path and run it; the output goes to standard output.
 */
public final class Topologies {
    private final Random random;
    private final Topology topology = new Topology();
    private final InternalTopologyBuilder builder = topology.internalTopologyBuilder;
    private final List<String> steps = new ArrayList<>();
    private final List<String> sources = new ArrayList<>();
    private final List<String> senders = new ArrayList<>();
    private final List<String> processors = new ArrayList<>();
    private final List<String> stores = new ArrayList<>();
    private int index;

    private Topologies(final long seed) {
        random = new Random(seed);
    }

    public static void main(final String[] args) {
        final long seed = Long.parseLong(args[0]);
        final int count = Integer.parseInt(args[1]);
        System.out.println("[");
        for (int i = 0; i < count; i++) {
            System.out.println(new Topologies(seed + i).run() + (i + 1 < count ? "," : ""));
        }
        System.out.println("]");
    }

    private String run() {
        final int size = 4 + random.nextInt(random.nextInt(3) == 0 ? 60 : 20);
        source();
        while (steps.size() < size) {
            final int what = random.nextInt(20);
            if (what < 3) {
                source();
            } else if (what < 4) {
                global();
            } else if (what < 7) {
                for (int i = random.nextInt(4); i >= 0; i--) {
                    store();
                }
            } else if (what < 10) {
                sink();
            } else if (what < 11) {
                copartition();
            } else {
                processor();
            }
        }
        final Properties props = new Properties();
        props.put(StreamsConfig.APPLICATION_ID_CONFIG, "app");
        props.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, "none:1");
        final String described = topology.describe().toString();
        builder.rewriteTopology(new StreamsConfig(props));
        final ProcessorTopology task = builder.buildTopology();
        return "{\"steps\":[" + String.join(",", steps) + "],\n\"describe\":" + quote(described)
            + ",\n\"nodes\":" + quote(task.processors().stream().map(n -> n.name()).collect(Collectors.toList()))
            + ",\n\"stores\":" + quote(task.stateStores().stream().map(StateStore::name).collect(Collectors.toList()))
            + ",\n\"sources\":" + quote(builder.fullSourceTopicNames())
            + ",\n\"copartition\":" + builder.copartitionGroups().stream().map(Topologies::quote)
                .collect(Collectors.joining(",", "[", "]")) + "}";
    }

    private String name(final String kind) {
        index++;
        switch (random.nextInt(3)) {
            case 0:
                return String.format("KSTREAM-%s-%010d", kind.toUpperCase(java.util.Locale.ROOT), index);
            case 1:
                return kind + index;
            default:
                return Long.toString(random.nextInt(1 << 30), 36) + "-" + kind + "-" + index;
        }
    }

    private void step(final String op, final String name, final Collection<String> a, final Collection<String> b) {
        steps.add("{\"op\":" + quote(op) + ",\"name\":" + quote(name) + ",\"of\":" + quote(a) + ",\"with\":" + quote(b) + "}");
    }

    private void source() {
        final String name = name("source");
        final List<String> topics = new ArrayList<>();
        for (int i = random.nextInt(random.nextInt(4) == 0 ? 15 : 2); i >= 0; i--) {
            topics.add(name("topic"));
        }
        topology.addSource(name, topics.toArray(new String[0]));
        step("source", name, topics, List.of());
        sources.add(name);
        senders.add(name);
    }

    private void processor() {
        final String name = name("processor");
        final List<String> parents = pick(senders, 1 + random.nextInt(random.nextInt(3) == 0 ? 6 : 2));
        topology.addProcessor(name, supplier(), parents.toArray(new String[0]));
        final List<String> used = stores.isEmpty() || random.nextInt(3) > 0 ? List.of()
            : random.nextInt(3) == 0 ? stores : pick(stores, 1 + random.nextInt(3));
        if (!used.isEmpty()) {
            topology.connectProcessorAndStateStores(name, used.toArray(new String[0]));
        }
        step("processor", name, parents, used);
        senders.add(name);
        processors.add(name);
    }

    private void sink() {
        final String name = name("sink");
        final List<String> parents = pick(senders, 1 + random.nextInt(random.nextInt(3) == 0 ? 8 : 2));
        final String topic = name("topic");
        topology.addSink(name, topic, parents.toArray(new String[0]));
        step("sink", name, parents, List.of(topic));
    }

    private void store() {
        final String name = name("store");
        final List<String> users = processors.isEmpty() || random.nextBoolean() ? List.of() : pick(processors, 1 + random.nextInt(2));
        topology.addStateStore(Stores.keyValueStoreBuilder(Stores.inMemoryKeyValueStore(name), Serdes.String(), Serdes.String()),
            users.toArray(new String[0]));
        step("store", name, users, List.of());
        stores.add(name);
    }

    private void global() {
        final String source = name("source");
        final String processor = name("processor");
        final String topic = name("topic");
        final String store = name("store");
        topology.addGlobalStore(
            Stores.keyValueStoreBuilder(Stores.inMemoryKeyValueStore(store), Serdes.String(), Serdes.String()).withLoggingDisabled(),
            source, Serdes.String().deserializer(), Serdes.String().deserializer(), topic, processor, Topologies.<Void>supplier());
        step("global", source, List.of(topic), List.of(processor, store));
    }

    private void copartition() {
        final List<String> some = pick(sources, 1 + random.nextInt(3));
        builder.copartitionSources(some);
        step("copartition", "", some, List.of());
    }

    /** Elements of a list, not always distinct. */
    private List<String> pick(final List<String> from, final int n) {
        final List<String> some = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            some.add(from.get(random.nextInt(from.size())));
        }
        return some;
    }

    private static <T> ProcessorSupplier<String, String, T, T> supplier() {
        return () -> new Processor<String, String, T, T>() {
            @Override
            public void process(final Record<String, String> record) {
            }
        };
    }

    private static String quote(final String s) {
        return '"' + s.replace("\n", "\\n") + '"';
    }

    private static String quote(final Collection<String> list) {
        return list.stream().map(Topologies::quote).collect(Collectors.joining(",", "[", "]"));
    }
}
