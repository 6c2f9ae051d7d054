package live;

import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.CloseOptions;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.processor.StateRestoreListener;
import org.apache.kafka.streams.state.KeyValueStore;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Properties;

/**
 * Counts words on a real broker until its standard input ends, which also
 * happens when whoever started it dies. Arguments: a properties file, the input
 * and the output topic. It prints one event a line: "state NEW_STATE", and
 * "restored STORE RECORDS" for each partition of a store.
 */
public final class WordCount {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private WordCount() {
    }

    public static void main(final String[] args) throws IOException {
        final Properties config = new Properties();
        try (Reader in = Files.newBufferedReader(Path.of(args[0]))) {
            config.load(in);
        }
        final StreamsBuilder builder = new StreamsBuilder();
        builder.stream(args[1], Consumed.with(Serdes.String(), Serdes.String()))
            .flatMapValues(line -> Arrays.asList(line.split(" ")))
            .groupBy((key, word) -> word, Grouped.with(Serdes.String(), Serdes.String()))
            .count(Materialized.<String, Long, KeyValueStore<Bytes, byte[]>>as("counts"))
            .toStream()
            .to(args[2], Produced.with(Serdes.String(), Serdes.Long()));
        final KafkaStreams streams = new KafkaStreams(builder.build(config), config);
        streams.setStateListener((next, old) -> print("state " + next));
        streams.setGlobalStateRestoreListener(new Restores());
        streams.setUncaughtExceptionHandler(e -> {
            e.printStackTrace();
            return StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
        });
        streams.start();
        while (System.in.read() >= 0) {
            // Nothing is ever said on it.
        }
        final boolean failed = streams.state() != KafkaStreams.State.RUNNING && streams.state() != KafkaStreams.State.REBALANCING;
        final boolean closed = streams.close(CloseOptions.timeout(PATIENCE)
            .withGroupMembershipOperation(CloseOptions.GroupMembershipOperation.LEAVE_GROUP));
        System.exit(closed && !failed ? 0 : 1);
    }

    private static synchronized void print(final String event) {
        System.out.println(event);
        System.out.flush();
    }

    private static final class Restores implements StateRestoreListener {
        @Override
        public void onRestoreStart(final TopicPartition from, final String store, final long start, final long end) {
        }

        @Override
        public void onBatchRestored(final TopicPartition from, final String store, final long end, final long records) {
        }

        @Override
        public void onRestoreEnd(final TopicPartition from, final String store, final long records) {
            print("restored " + store + " " + records);
        }
    }
}
