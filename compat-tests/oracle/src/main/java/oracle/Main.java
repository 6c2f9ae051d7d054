package oracle;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;

import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Command line: golden, one, serve, gen. */
public final class Main {
    static final ObjectMapper JSON = JsonMapper.builder()
        .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
        .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
        .build();

    private Main() {
    }

    public static void main(final String[] args) throws IOException {
        Thread.currentThread().setName("oracle");
        if (args.length == 3 && args[0].equals("golden")) {
            System.exit(golden(Path.of(args[1]), Path.of(args[2])));
        } else if (args.length == 2 && args[0].equals("one")) {
            System.out.write(Out.pretty(Runner.run(JSON.readTree(Files.readString(Path.of(args[1]))))).getBytes(StandardCharsets.UTF_8));
            System.out.flush();
        } else if (args.length == 1 && args[0].equals("serve")) {
            serve();
        } else if (args.length >= 4 && args[0].equals("gen")) {
            final GenFilter filter = GenFilter.parse(List.of(args).subList(4, args.length));
            Gen.files(Long.parseLong(args[1]), Integer.parseInt(args[2]), Path.of(args[3]), filter);
        } else {
            System.err.println("usage: golden DIR_IN DIR_OUT | one FILE | serve | gen SEED COUNT DIR [--ops WORD,...] [--config-only KEY,...]");
            System.exit(2);
        }
        System.exit(0);
    }

    private static int golden(final Path in, final Path out) throws IOException {
        Files.createDirectories(out);
        final List<Path> files;
        try (Stream<Path> s = Files.list(in)) {
            files = s.filter(p -> p.toString().endsWith(".json")).sorted().collect(Collectors.toList());
        }
        int bad = 0;
        int exceptions = 0;
        final long t0 = System.nanoTime();
        for (final Path f : files) {
            final Map<String, Object> g = Runner.run(JSON.readTree(Files.readString(f)));
            if (g.containsKey("oracleError")) {
                bad++;
                System.err.println(f.getFileName() + ": " + g.get("oracleError"));
            } else if (g.containsKey("advisory")) {
                exceptions++;
            }
            Files.writeString(out.resolve(f.getFileName().toString()), Out.pretty(g));
        }
        System.err.printf("%d scenarios, %d with exceptions, %d oracle errors, %.1f s%n",
            files.size(), exceptions, bad, (System.nanoTime() - t0) / 1e9);
        return bad == 0 ? 0 : 1;
    }

    private static void serve() throws IOException {
        final PrintStream real = new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);
        System.setOut(System.err);
        final BufferedReader r = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        String line;
        while ((line = r.readLine()) != null) {
            if (line.isBlank()) {
                continue;
            }
            Map<String, Object> g;
            try {
                final JsonNode n = JSON.readTree(line);
                g = Runner.run(n);
            } catch (final JsonProcessingException e) {
                g = new LinkedHashMap<>();
                g.put("scenario", "?");
                g.put("oracleError", "not JSON: " + e.getOriginalMessage());
            }
            real.print(Out.compact(g));
            real.print('\n');
            real.flush();
        }
    }
}
