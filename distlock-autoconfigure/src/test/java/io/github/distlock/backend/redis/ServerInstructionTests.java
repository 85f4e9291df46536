package io.github.distlock.backend.redis;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import io.github.distlock.installed.Installed;
import io.github.distlock.testing.RedisProcess;
import io.github.distlock.testing.RedisTestServer;
import io.github.distlock.testing.RespConnection;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.data.redis.core.script.RedisScript;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Counts the instructions that the installed Redis executes for the scripts of a cycle or
 * of a hand-off, reading and writing of the connections included. A busy machine does not
 * change them. {@code -Dscripts.instructions=true} runs it; it needs valgrind.
 */
@Tag(Installed.TAG)
@EnabledIfSystemProperty(named = "scripts.instructions", matches = "true",
		disabledReason = "The instructions of Redis are counted only with -Dscripts.instructions=true")
class ServerInstructionTests {

	private static final PrintStream OUT = System.out;

	private static final int WARM_UP = 30;

	private static final int CYCLES = 200;

	private static final List<String> KEYS = new RedisKeys("distlock:").lockAndQueue("bench");

	@TempDir
	private Path folder;

	private RespConnection server;

	private String pid;

	private int numbers = 10_000;

	@Test
	void aHandOffCostsAsMuchHoweverManyWait() throws IOException {
		Path executable = Installed.REDIS_SERVER.assume();
		Path valgrind = Installed.VALGRIND.assume();
		Path wrapper = this.folder.resolve("counted-redis");
		Files.createFile(wrapper, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
		Files.writeString(wrapper, "#!/bin/sh\nexec %s --tool=callgrind --callgrind-out-file=%s/out %s \"$@\"\n"
			.formatted(valgrind, this.folder, executable));
		try (RedisProcess redis = RedisProcess.start(wrapper, RedisTestServer.freePort(), List.of(), "hz 1",
				"dynamic-hz no"); RespConnection connection = new RespConnection(redis.port())) {
			this.server = connection;
			this.pid = redis.info("process_id");
			this.server.ask("SCRIPT", "LOAD", Scripts.ATTEMPT.getScriptAsString());
			this.server.ask("SCRIPT", "LOAD", Scripts.RELEASE.getScriptAsString());
			OUT.printf("an attempt and a release without other callers: %,d%n", uncontended());
			for (int waiting : new int[] { 1, 4, 60, 200 }) {
				long successor = handOff(redis.port(), "", waiting, true);
				long alone = handOff(redis.port(), "", waiting, false);
				long fair = handOff(redis.port(), "F", waiting, false);
				OUT.printf("%d wait: a release with a successor: %,d, a release and an attempt: %,d, fair: %,d%n",
						waiting, successor, alone, fair);
				assertThat(successor).isLessThan(170_000);
				assertThat(alone).isLessThan(220_000);
				assertThat(fair).isLessThan(240_000);
			}
		}
	}

	private long uncontended() throws IOException {
		return instructions(() -> {
			String token = newToken(0, "");
			run(Scripts.RELEASE, token, run(Scripts.ATTEMPT, token, "30000", "T17"));
		});
	}

	/**
	 * Each of the JVMs that wait has an inbox, and one ticket in the queue; four if fair.
	 */
	private long handOff(int port, String letters, int waiting, boolean successor) throws IOException {
		int jvms = letters.isEmpty() ? waiting + 1 : 4;
		List<RespConnection> inboxes = new ArrayList<>();
		for (int jvm = 0; jvm < jvms; jvm++) {
			RespConnection inbox = new RespConnection(port);
			inbox.ask("SUBSCRIBE", "distlock:inbox:" + instance(jvm));
			inboxes.add(inbox);
		}
		this.server.ask("FLUSHALL");
		for (int i = 0; i <= waiting; i++) {
			run(Scripts.ATTEMPT, newToken(i % jvms, letters), "30000", "T17");
		}
		String[] holder = word();
		int[] cycles = new int[1];
		long all = instructions(() -> {
			String next = newToken(cycles[0]++ % jvms, letters);
			if (successor) {
				run(Scripts.RELEASE, holder[0], holder[2], next, "30000", "T17");
			}
			else {
				run(Scripts.RELEASE, holder[0], holder[2]);
				run(Scripts.ATTEMPT, next, "30000", "T17");
			}
			System.arraycopy(word(), 0, holder, 0, 3);
		});
		long reading = instructions(this::word);
		inboxes.forEach(RespConnection::close);
		return all - reading;
	}

	private static String instance(int jvm) {
		return "k3x9f2m7q%04x".formatted(jvm);
	}

	private String newToken(int jvm, String letters) {
		return instance(jvm) + ":" + letters + Integer.toString(++this.numbers, Character.MAX_RADIX);
	}

	private String run(RedisScript<String> script, String... args) {
		return (String) this.server
			.ask(Stream.of(Stream.of("EVALSHA", script.getSha1(), "2"), KEYS.stream(), Stream.of(args))
				.flatMap((words) -> words)
				.toArray(String[]::new));
	}

	/** The ticket that holds, the number of its tokens, and the first of them. */
	private String[] word() {
		return ((String) this.server.ask("GET", KEYS.get(0))).substring(1).split("[|]");
	}

	private long instructions(Runnable cycle) throws IOException {
		for (int i = 0; i < WARM_UP; i++) {
			cycle.run();
		}
		control("-z");
		for (int i = 0; i < CYCLES; i++) {
			cycle.run();
		}
		control("-d");
		try (Stream<Path> files = Files.list(this.folder)) {
			Path dump = files.filter((file) -> file.getFileName().toString().matches("out\\.\\d+"))
				.findFirst()
				.orElseThrow();
			String totals = Files.readAllLines(dump)
				.stream()
				.filter((line) -> line.startsWith("totals:"))
				.findFirst()
				.orElseThrow();
			Files.delete(dump);
			return Long.parseLong(totals.substring("totals:".length()).trim()) / CYCLES;
		}
	}

	private void control(String option) throws IOException {
		Process control = new ProcessBuilder(Installed.CALLGRIND_CONTROL.assume().toString(), option, this.pid)
			.redirectErrorStream(true)
			.start();
		control.getInputStream().readAllBytes();
		control.onExit().join();
	}

}
