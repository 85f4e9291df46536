package io.github.distlock.torture.worker;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** The settings of a worker JVM. */
public record WorkerSettings(String name, int storePort, int resourcePort, Path history, long seed, Load load) {

	/** The longest lease that a worker asks for: long compared with all other times. */
	public static final int LONGEST_LEASE_MILLIS = 20_000;

	/**
	 * The number of the worker among all workers, from 0 on. It is the same for the
	 * workers that replace it.
	 */
	int number() {
		return (int) (this.seed / 100 % 10);
	}

	/** The command line, which {@link #parse} understands. */
	public List<String> arguments() {
		return List.of(this.name, "" + this.storePort, "" + this.resourcePort, this.history.toString(), "" + this.seed,
				this.load.format());
	}

	static WorkerSettings parse(String[] args) {
		return new WorkerSettings(args[0], Integer.parseInt(args[1]), Integer.parseInt(args[2]), Path.of(args[3]),
				Long.parseLong(args[4]), Load.parse(args[5]));
	}

	/**
	 * The load of a worker.
	 *
	 * @param leaseMillis the lease of the watchdog; explicit leases are of similar length
	 * @param fair the share of fair requests, 0 to 1
	 * @param patient the share of calls without a limit of the wait time
	 * @param lasting the share of calls with a lease of many seconds
	 * @param sectionMillis the longest usual critical section
	 * @param interrupts the mean time between interrupts, 0 for none
	 * @param read the share of read requests; half of the others are write requests, the
	 * rest exclusive
	 * @param permits how many readers may hold the first key at once, which most of its
	 * callers read then; 0 for no limit
	 */
	public record Load(int threads, int keys, int leaseMillis, double fair, double patient, double lasting,
			int sectionMillis, int interrupts, double read, int permits) {

		String format() {
			return this.threads + "," + this.keys + "," + this.leaseMillis + "," + this.fair + "," + this.patient + ","
					+ this.lasting + "," + this.sectionMillis + "," + this.interrupts + "," + this.read + ","
					+ this.permits;
		}

		public static Load parse(String text) {
			double[] parts = Arrays.stream(text.split(",")).mapToDouble(Double::parseDouble).toArray();
			return new Load((int) parts[0], (int) parts[1], (int) parts[2], parts[3], parts[4], parts[5],
					(int) parts[6], (int) parts[7], parts[8], (int) parts[9]);
		}

	}

}
