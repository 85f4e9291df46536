package io.github.distlock.autoconfigure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

import io.github.distlock.testing.ChildJvm;
import io.github.distlock.testing.RedisTestServer;
import io.github.distlock.testing.ZooKeeperTestServer;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.apache.commons.logging.LogFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * JVMs whose heap is full for moments: no lock is lost in silence, and the watchdog goes
 * on.
 */
@Execution(ExecutionMode.CONCURRENT)
class OutOfMemoryTests {

	/** How many JVMs of each store, in the longer checks. */
	private static final int RUNS = Integer.getInteger("distlock.oom.runs", 3);

	/**
	 * Classes of lambdas, which are made again; of locks, which come with the first
	 * contention of the JVM; of the one buffer of 128 that Netty tracks: without its
	 * class only the command that uses it fails.
	 */
	private static final String AT_ANY_TIME = ".*(LambdaForm\\$|java/util/concurrent/locks/|netty/buffer/SimpleLeakAware).*";

	@Test
	void afterALackOfMemoryEachLockIsRenewedOrItsLossReported() {
		assertThat(run("--distlock.backend=local")).startsWith("silent 0, ").contains(", twice 0, later renewed");
	}

	/**
	 * An initializer that finds no memory makes its class useless for the rest of the
	 * JVM's life. Without {@link Thread.State}, for example, no pool can start a thread.
	 */
	@Test
	void renewalsAndLossesNeedNoClassThatIsInitializedLate(@TempDir Path folder) throws IOException {
		assertThat(initializedLate(folder, "--distlock.backend=local")).isEmpty();
	}

	/** A driver may lose a thread in the same way: those runs are only counted. */
	@Test
	@Tag("full")
	@EnabledIfSystemProperty(named = "distlock.full", matches = "true", disabledReason = "Set -Ddistlock.full=true")
	void noLossIsSilentWhileTheDriverHasAllItsThreads(@TempDir Path folder) throws Exception {
		try (RedisTestServer redis = RedisTestServer.start();
				ZooKeeperTestServer zooKeeper = ZooKeeperTestServer.start();
				EmbeddedPostgres postgres = EmbeddedPostgres.start()) {
			Map<String, String[]> stores = new TreeMap<>();
			stores.put("local", new String[] { "--distlock.backend=local" });
			stores.put("redis", new String[] { "--spring.data.redis.port=" + redis.port() });
			stores.put("jdbc", new String[] { "--distlock.backend=jdbc", "--distlock.jdbc.initialize-schema=always",
					"--spring.datasource.url=" + postgres.getJdbcUrl("postgres", "postgres") });
			stores.put("zookeeper", new String[] { "--distlock.backend=zookeeper",
					"--distlock.zookeeper.connect-string=" + zooKeeper.connectString() });
			for (Map.Entry<String, String[]> store : stores.entrySet()) {
				assertThat(initializedLate(folder, store.getValue())).as(store.getKey()).isEmpty();
				for (int i = 0; i < RUNS; i++) {
					// Of its own keys: an earlier run was ended while it held some.
					String result = run(Stream.concat(Stream.of(store.getValue()),
							Stream.of("--distlock.key-prefix=run-" + i + ":", "--distlock.zookeeper.root=/run-" + i))
						.toArray(String[]::new));
					LogFactory.getLog(OutOfMemoryTests.class).info(store.getKey() + ": " + result);
					assertThat(result).matches("silent 0, .*|.*, ended \\[.+]");
				}
			}
		}
	}

	private static List<String> initializedLate(Path folder, String... store) throws IOException {
		Path log = folder.resolve("classes.log");
		try (ChildJvm child = ChildJvm.start(List.of("-Xlog:class+init=info:file=" + log), OutOfMemoryProgram.class,
				Stream.concat(Stream.of(store), Stream.of(OutOfMemoryProgram.FREE)).toArray(String[]::new))) {
			assertThat(child.expect("result")).startsWith("silent 0, ");
		}
		List<String> classes = Files.readAllLines(log)
			.stream()
			.filter((line) -> line.contains("Initializing '") && !line.contains("(no method)")
					&& !line.matches(AT_ANY_TIME))
			.map((line) -> line.substring(line.indexOf('\'')))
			.dropWhile((line) -> !line.contains("$Begin'"))
			.toList();
		assertThat(classes).isNotEmpty();
		return classes.subList(1, classes.size());
	}

	private static String run(String... store) {
		try (ChildJvm child = ChildJvm.start(List.of("-Xmx64m"), OutOfMemoryProgram.class, store)) {
			return child.expect("result");
		}
	}

}
