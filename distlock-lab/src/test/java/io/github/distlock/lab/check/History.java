package io.github.distlock.lab.check;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;

import io.github.distlock.lab.check.WrittenEvents.GrantEndEvent;
import io.github.distlock.lab.check.WrittenEvents.GrantEvent;
import io.github.distlock.lab.check.WrittenEvents.HoldEvent;
import io.github.distlock.lab.check.WrittenEvents.RenewalEvent;

/**
 * A random history of locks, of which the true times are known, and the recordings of its
 * JVMs. Nothing of the checker is used.
 * <p>
 * True times are nanoseconds since the begin of the history. Each JVM has a clock of its
 * own, days away and up to 100 ppm faster or slower, and so has each server; servers take
 * turns in a failover. Tokens are those of the Redis scripts: the higher one of the last
 * token and 1, and the server's time in microseconds.
 * <p>
 * A holder renews a lease that is too short for it, or overruns it: it stands still, goes
 * on after its end, and only then knows of the loss.
 */
final class History {

	static final long MICRO = 1000;

	static final long MILLI = 1_000_000;

	static final long SECOND = 1_000_000_000;

	private static final double PPM = 1e-6;

	private static final long LEASE = 300 * MILLI;

	/** Between the grant and the first renewal, and between two renewals. */
	private static final long PERIOD = 100 * MILLI;

	/** What a JVM that is killed has not written. */
	private static final long UNWRITTEN = 300 * MILLI;

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
				boolean overruns = this.random.nextInt(12) == 0;
				boolean renews = !overruns && this.random.nextInt(12) == 0;
				long to = from + ((overruns || renews) ? this.random.nextLong(SECOND) : length());
				long valid = granted + LEASE;
				if (renews) {
					valid += Math.max(0, (Math.min(to, lives(jvm)) - from) / PERIOD) * PERIOD;
				}
				before = add(new TrueHold(jvm, key, permits, token, asked, from, to, valid, clock, renews));
				last = token;
				for (int handOff = this.random.nextInt(4); permits == 0 && handOff > 1; handOff--) {
					long next = before.to + this.random.nextLong(2 * MICRO);
					if (next < valid) {
						before = add(
								new TrueHold(jvm, key, 0, ++last, asked, next, next + length(), valid, false, false));
					}
				}
				boolean gone = before.to >= Math.min(valid, lives(jvm));
				free = Math.max(free, (gone ? valid : before.to) + delay());
				granted += this.random.nextLong(20 * MICRO);
			}
			now = free + (this.random.nextBoolean() ? 0 : this.random.nextLong(40 * MILLI));
		}
	}

	private TrueHold add(TrueHold hold) {
		TrueHold lived = hold.until(Math.max(hold.from, Math.min(hold.to, lives(hold.jvm))));
		this.holds.add(lived);
		return lived;
	}

	/** Return until when a JVM lives. */
	private long lives(int jvm) {
		return this.killed ? this.ends[jvm] : Long.MAX_VALUE;
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
			for (int number = 0; number < this.holds.size(); number++) {
				if (this.holds.get(number).jvm == jvm) {
					events.addAll(events(number));
				}
			}
			if (!events.isEmpty()) {
				Path file = folder.resolve("jvm-" + jvm + ".jfr");
				WrittenEvents.write(file, Map.of(), events);
				if (lives(jvm) < Long.MAX_VALUE) {
					WrittenEvents.kill(file);
				}
				files.add(file);
			}
		}
		return files;
	}

	/** Return what is recorded of a hold. */
	private List<HoldEvent> events(int number) {
		TrueHold hold = this.holds.get(number);
		List<HoldEvent> events = new ArrayList<>();
		long valid = hold.valid - (hold.renews ? (hold.to - hold.from) / PERIOD * PERIOD : 0);
		if (isRecorded(hold.jvm, hold.from)) {
			events.add(describe(new GrantEvent(), number, valid));
		}
		for (long time = hold.from + PERIOD; hold.renews && time < hold.to; time += PERIOD) {
			valid += PERIOD;
			if (isRecorded(hold.jvm, time)) {
				HoldEvent renewal = describe(new RenewalEvent(), number, valid);
				renewal.atNanos = nanos(hold.jvm, time);
				events.add(renewal);
			}
		}
		if (isEndRecorded(number)) {
			HoldEvent end = describe(new GrantEndEvent(), number, valid);
			end.outcome = (hold.to < hold.valid) ? "released" : "lost";
			end.atNanos = nanos(hold.jvm, hold.to);
			events.add(end);
		}
		return events;
	}

	private HoldEvent describe(HoldEvent event, int number, long valid) {
		TrueHold hold = this.holds.get(number);
		event.askedNanos = nanos(hold.jvm, hold.asked);
		event.answeredNanos = nanos(hold.jvm, hold.from);
		event.validUntilNanos = nanos(hold.jvm, valid);
		event.firstToken = hold.first;
		event.describe("instance-" + hold.jvm, number, hold.key, hold.token);
		event.mode = (hold.permits > 0) ? "READ" : "WRITE";
		event.permits = hold.permits;
		return event;
	}

	/** Not if its thread still has it in a buffer when the JVM is killed. */
	private boolean isEndRecorded(int number) {
		TrueHold hold = this.holds.get(number);
		boolean unwritten = hold.to > lives(hold.jvm) - UNWRITTEN && number % 2 == 0;
		return isRecorded(hold.jvm, hold.to) && !unwritten;
	}

	private boolean isRecorded(int jvm, long time) {
		return time >= this.begins[jvm] && time < this.ends[jvm];
	}

	/**
	 * Return the holds of which something is recorded, by key and token. That a holder
	 * has overrun its lease is in no recording if its JVM is killed then; the check
	 * answers "not known" for such a JVM.
	 */
	List<TrueHold> recorded() {
		return IntStream.range(0, this.holds.size())
			.filter((number) -> !events(number).isEmpty())
			.mapToObj((number) -> {
				TrueHold hold = this.holds.get(number);
				boolean hidden = lives(hold.jvm) < Long.MAX_VALUE && !isEndRecorded(number);
				return hidden ? hold.until(Math.min(hold.to, hold.valid)) : hold;
			})
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
	 * A hold at its true times. A renewal makes it valid for longer.
	 */
	record TrueHold(int jvm, String key, int permits, long token, long asked, long from, long to, long valid,
			boolean first, boolean renews) {

		TrueHold until(long end) {
			return new TrueHold(this.jvm, this.key, this.permits, this.token, this.asked, this.from, end, this.valid,
					this.first, this.renews);
		}

	}

}
