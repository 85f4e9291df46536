package io.github.distlock.lab.check;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;

import io.github.distlock.lab.check.WrittenEvents.GrantEndEvent;
import io.github.distlock.lab.check.WrittenEvents.GrantEvent;
import io.github.distlock.lab.check.WrittenEvents.HoldEvent;

/**
 * A random history of locks, of which the true times are known, and the recordings of its
 * JVMs. Nothing of the checker is used.
 * <p>
 * True times are nanoseconds since the begin of the history. Each JVM has a clock of its
 * own, days away and up to 100 ppm faster or slower, and so has each server; servers take
 * turns in a failover. Tokens are those of the Redis scripts: the higher one of the last
 * token and 1, and the server's time in microseconds.
 */
final class History {

	static final long MICRO = 1000;

	static final long MILLI = 1_000_000;

	static final long SECOND = 1_000_000_000;

	private static final double PPM = 1e-6;

	private static final long LEASE = 300 * MILLI;

	private static final long DURATION = 3 * SECOND;

	private final Random random;

	private final Options options;

	private final double[] speeds;

	private final long[] offsets;

	/** When the recording of a JVM begins and ends. */
	private final long[] begins;

	private final long[] ends;

	private final List<long[]> servers = new ArrayList<>();

	private final double serverSpeed;

	private final long latency;

	/** Whether a JVM is killed when its recording ends; if not, it goes on. */
	private final boolean killed;

	private final List<TrueHold> holds = new ArrayList<>();

	/** Numbers the holds in the recordings. */
	private long written;

	History(long seed, Options options) {
		this.random = new Random(seed);
		this.options = options;
		int jvms = 2 + this.random.nextInt(3);
		this.speeds = new double[jvms];
		this.offsets = new long[jvms];
		this.begins = new long[jvms];
		this.ends = new long[jvms];
		for (int jvm = 0; jvm < jvms; jvm++) {
			this.speeds[jvm] = 1 + (this.random.nextInt(201) - 100) * PPM;
			this.offsets[jvm] = (this.random.nextInt(20_000) - 5_000) * 60 * SECOND;
			this.ends[jvm] = Long.MAX_VALUE;
			if (options.cuts && this.random.nextBoolean()) {
				this.begins[jvm] = this.random.nextLong(DURATION / 2);
				this.ends[jvm] = DURATION / 2 + this.random.nextLong(DURATION);
			}
		}
		this.serverSpeed = 1 + (this.random.nextInt(201) - 100) * PPM;
		this.latency = List.of(0L, 200 * MICRO, 2 * MILLI).get(this.random.nextInt(3));
		this.killed = this.random.nextBoolean();
		this.servers.add(new long[] { 0, 1_790_000_000 * SECOND });
		for (int jump = 0; jump < options.jumps; jump++) {
			long size = 20 * MILLI + this.random.nextLong(this.random.nextBoolean() ? 50 * MILLI : 300 * SECOND);
			this.servers.add(new long[] { DURATION / 4 + this.random.nextLong(DURATION / 2),
					this.random.nextBoolean() ? size : -size });
		}
		for (int key = 0; key < 6; key++) {
			live("000000000000000" + key, jvms);
		}
	}

	List<TrueHold> holds() {
		return this.holds;
	}

	private void live(String key, int jvms) {
		long now = this.random.nextLong(SECOND);
		long last = 0;
		TrueHold before = null;
		boolean shared = this.random.nextInt(3) == 0;
		while (now < DURATION) {
			int permits = shared && this.random.nextBoolean() ? 1 + this.random.nextInt(3) : 0;
			int group = (permits == 0) ? 1 : permits;
			if (before != null && this.options.faults && this.random.nextInt(8) == 0) {
				// The store has lost the grant, and perhaps the last token.
				now = before.from + this.random.nextLong(Math.max(1, before.to - before.from));
				last = this.random.nextBoolean() ? last : 0;
				group += (permits == 0) ? 0 : 1;
			}
			long free = now;
			long granted = now;
			for (int member = 0; member < group; member++) {
				int jvm = this.random.nextInt(jvms);
				boolean message = this.random.nextInt(3) == 0;
				long asked = granted - delay() - (message ? this.random.nextLong(SECOND) : 0);
				long token = Math.max(last + 1, micros(granted));
				long from = granted + delay();
				boolean clock = !message && token == micros(granted);
				// That it is not the server's time shows the token before it.
				boolean first = clock || !message && token == last + 1 && last > 0;
				long to = from + length();
				long valid = granted + LEASE;
				before = new TrueHold(jvm, key, permits, token, asked, from, Math.min(to, valid), valid, first);
				this.holds.add(before);
				last = token;
				for (int handOff = this.random.nextInt(4); permits == 0 && handOff > 1; handOff--) {
					long next = before.to + this.random.nextLong(2 * MICRO);
					before = new TrueHold(jvm, key, 0, ++last, asked, next, Math.min(next + length(), valid), valid,
							false);
					if (before.from < before.to) {
						this.holds.add(before);
					}
				}
				boolean unseen = before.to >= this.ends[jvm];
				free = Math.max(free, unseen && this.killed ? valid + delay() : before.to + delay());
				granted += this.random.nextLong(20 * MICRO);
			}
			now = free + (this.random.nextBoolean() ? 0 : this.random.nextLong(40 * MILLI));
		}
	}

	private long length() {
		return this.random.nextLong(List.of(50 * MICRO, MILLI, 30 * MILLI).get(this.random.nextInt(3)));
	}

	private long delay() {
		long usual = this.latency / 2 + (long) (this.latency * -Math.log(1 - this.random.nextDouble()));
		return (this.random.nextInt(50) == 0) ? usual + this.random.nextLong(30 * MILLI) : usual;
	}

	private long micros(long time) {
		long shown = (long) (time * this.serverSpeed);
		for (long[] server : this.servers) {
			shown += (time >= server[0]) ? server[1] : 0;
		}
		return shown / MICRO;
	}

	private long nanos(int jvm, long time) {
		return (long) (time * this.speeds[jvm]) + this.offsets[jvm];
	}

	/**
	 * Write what the JVMs have recorded.
	 * @param folder the folder of the files
	 * @return the files
	 * @throws IOException if a file cannot be written
	 */
	List<Path> write(Path folder) throws IOException {
		List<Path> files = new ArrayList<>();
		for (int jvm = 0; jvm < this.offsets.length; jvm++) {
			List<HoldEvent> events = new ArrayList<>();
			for (TrueHold hold : this.holds) {
				if (hold.jvm == jvm) {
					events.addAll(events(hold));
				}
			}
			if (!events.isEmpty()) {
				files.add(folder.resolve("jvm-" + jvm + ".jfr"));
				WrittenEvents.write(files.get(files.size() - 1), Map.of(), events);
			}
		}
		return files;
	}

	private List<HoldEvent> events(TrueHold hold) {
		List<HoldEvent> events = new ArrayList<>();
		this.written++;
		if (isRecorded(hold.jvm, hold.from)) {
			GrantEvent grant = new GrantEvent();
			describe(grant, hold);
			events.add(grant);
		}
		if (isRecorded(hold.jvm, hold.to)) {
			GrantEndEvent end = new GrantEndEvent();
			describe(end, hold);
			end.outcome = "released";
			end.atNanos = nanos(hold.jvm, hold.to);
			events.add(end);
		}
		return events;
	}

	private void describe(HoldEvent event, TrueHold hold) {
		event.askedNanos = nanos(hold.jvm, hold.asked);
		event.answeredNanos = nanos(hold.jvm, hold.from);
		event.validUntilNanos = nanos(hold.jvm, hold.valid);
		event.firstToken = hold.first;
		event.describe("instance-" + hold.jvm, this.written, hold.key, hold.token);
		event.mode = (hold.permits > 0) ? "READ" : "WRITE";
		event.permits = hold.permits;
	}

	private boolean isRecorded(int jvm, long time) {
		return time >= this.begins[jvm] && time < this.ends[jvm];
	}

	/** Return the holds of which something is recorded, by key and token. */
	List<TrueHold> recorded() {
		return this.holds.stream()
			.filter((hold) -> isRecorded(hold.jvm, hold.from) || isRecorded(hold.jvm, hold.to))
			.sorted(Comparator.comparing(TrueHold::key).thenComparingLong(TrueHold::token))
			.toList();
	}

	/**
	 * What may happen.
	 *
	 * @param faults whether the store gives a lock to a second holder
	 * @param jumps how often the server's clock jumps
	 * @param cuts whether recordings begin late and end early
	 */
	record Options(boolean faults, int jumps, boolean cuts) {
	}

	/**
	 * A hold at its true times.
	 */
	record TrueHold(int jvm, String key, int permits, long token, long asked, long from, long to, long valid,
			boolean first) {
	}

}
