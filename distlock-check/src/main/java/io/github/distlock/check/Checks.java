package io.github.distlock.check;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import javax.sql.DataSource;

import io.github.distlock.HeldLock;
import io.github.distlock.LockBackendException;
import io.github.distlock.LockRequest;
import io.github.distlock.check.Finding.Verdict;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/**
 * All checks. Those that use locks are here; what a server is asked, and how each answer
 * is judged, is in {@code checks.properties}.
 *
 * @param server the server
 * @param texts what is asked, and how it is judged
 * @param workers two child JVMs, which also use the server
 */
record Checks(Server server, Texts texts, List<WorkerProcess> workers) {

	/** No check after this one is tried if it fails. */
	static final String FIRST = "lock and clock";

	/** Return the checks in their order. */
	Map<String, Callable<Finding>> all(Duration watch) {
		Map<String, Callable<Finding>> checks = new LinkedHashMap<>();
		for (String row : this.texts.of("rows", "asked").split(" ")) {
			checks.put(row, () -> this.texts.judge(row, this.server.ask(this.texts.of(row, "ask"))));
		}
		if (this.texts.isJdbc()) {
			checks.put("pooler", this::pooler);
		}
		checks.put(FIRST, this::firstLock);
		checks.put("round trip", this::roundTrip);
		checks.put("messages", this::messages);
		checks.put("exclusion", () -> compete("exclusion", Duration.ofSeconds(3), Duration.ofMillis(1)));
		checks.put("lease", this::lease);
		if (!watch.isZero()) {
			// Long sections, so that a lock is almost always held when the server fails.
			checks.put("watch", () -> compete("watch", watch, Duration.ofMillis(50)));
		}
		checks.put("killed JVM", this::killedJvm);
		return checks;
	}

	/** The commands of the locks, tried as at the start of an application. */
	Finding commands() {
		try {
			this.server.registry().store().verify();
			return new Finding(Verdict.OK, this.texts.of("commands", "names"));
		}
		catch (LockBackendException ex) {
			return this.texts.judge("commands", String.valueOf(ex.getMessage()));
		}
	}

	/** Whether two connections have two sessions. */
	private Finding pooler() throws SQLException {
		DataSource pool = this.server.context().getBean(DataSource.class);
		try (Connection one = pool.getConnection(); Connection two = pool.getConnection()) {
			List<String> sessions = Stream.of(one, two)
				.map((connection) -> new JdbcTemplate(new SingleConnectionDataSource(connection, true)))
				.map((connection) -> connection.queryForObject(this.texts.of("pooler", "ask"), String.class))
				.toList();
			return this.texts.judge("pooler", "sessions of two connections: " + sessions);
		}
	}

	private HeldLock acquire(LockRequest request) {
		return this.server.registry().acquireAsync(request).join();
	}

	/** A token is the clock of the server in microseconds. */
	private Finding firstLock() {
		long before = System.currentTimeMillis();
		try (HeldLock lock = acquire(this.server.request("first"))) {
			long ahead = lock.fencingToken() / 1000 - before;
			this.workers.forEach(WorkerProcess::answer);
			return this.texts.judge(FIRST,
					"acquired; the server's clock is ahead of this machine's by " + ahead + " ms");
		}
	}

	private Finding roundTrip() {
		long[] micros = LongStream.range(0, 200).map((i) -> {
			long sent = System.nanoTime();
			this.server.registry().store().ping();
			return (System.nanoTime() - sent) / 1000;
		}).sorted().toArray();
		return this.texts.judge("round trip",
				String.format(Locale.ROOT, "p50 %.1f ms, p99 %.1f ms", micros[100] / 1000.0, micros[198] / 1000.0));
	}

	/** Whether a release of another JVM wakes a waiter of this one. */
	private Finding messages() throws Exception {
		WorkerProcess holder = this.workers.get(0);
		holder.tell("hold messages PT10S").answer();
		Future<HeldLock> waiting = this.server.registry().acquireAsync(this.server.request("messages"));
		Thread.sleep(1000);
		holder.tell("release");
		long released = System.currentTimeMillis();
		waiting.get().close();
		long taken = System.currentTimeMillis() - released;
		holder.answer();
		String channel = Objects.requireNonNullElse(this.server.registry().store().channel(), "no channel");
		return this.texts.judge("messages", channel + "; a waiter had the lock " + taken + " ms after its release");
	}

	/** Let both JVMs enter one lock again and again. */
	private Finding compete(String row, Duration time, Duration section) throws IOException {
		long started = System.currentTimeMillis();
		Path file = Files.createTempFile("distlock-check", ".lock");
		this.workers.forEach((worker) -> worker.tell("compete " + time + " " + section + " " + file));
		List<String> lines = this.workers.stream().flatMap((worker) -> worker.answer().stream()).toList();
		Files.delete(file);
		// In the order of the tokens, which have the same number of digits.
		LongStream entries = lines.stream()
			.filter((line) -> line.startsWith("entered"))
			.sorted()
			.mapToLong((line) -> Long.parseLong(line.split(" ")[2]));
		// The server may be away from the start, or until the end.
		long[] times = Stream.of(LongStream.of(started), entries, LongStream.of(System.currentTimeMillis()))
			.flatMapToLong(Function.identity())
			.toArray();
		LongSummaryStatistics gaps = IntStream.range(1, times.length)
			.mapToLong((i) -> times[i] - times[i - 1])
			.summaryStatistics();
		return this.texts.judge(row, String.format(Locale.ROOT,
				"%d entries, %d overlaps, tokens %s, %d losses, %d refusals, longest gap %.1f s", times.length - 2,
				Collections.frequency(lines, "overlap"), (gaps.getMin() < 0) ? "fall" : "rise",
				Collections.frequency(lines, "lost"), Collections.frequency(lines, "refused"), gaps.getMax() / 1000.0));
	}

	private Finding lease() {
		HeldLock first = acquire(this.server.request("lease").leaseTime(Duration.ofSeconds(1)));
		try (HeldLock second = acquire(this.server.request("lease"))) {
			boolean ended = !first.isHeld() && second.fencingToken() > first.fencingToken();
			return this.texts.judge("lease", ended ? "ended without a release" : "two holders");
		}
	}

	/** From before the grant, so that a pause of this JVM cannot make it shorter. */
	private Finding killedJvm() {
		long told = System.currentTimeMillis();
		this.workers.get(1).tell("hold killed PT3S").answer();
		this.workers.get(1).kill();
		acquire(this.server.request("killed")).close();
		return this.texts.judge("killed JVM", "mode " + this.server.property("check.mode") + ", its lock was free "
				+ (System.currentTimeMillis() - told) / 1000 + " s after it asked for it");
	}

}
