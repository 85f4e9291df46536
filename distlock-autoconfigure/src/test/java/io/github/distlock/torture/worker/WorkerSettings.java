package io.github.distlock.torture.worker;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * What a worker JVM is told when it starts.
 *
 * @param name its name in the history
 * @param redisPort where the store is
 * @param resourcePort where the resource is
 * @param history its file
 * @param seed what its randomness begins with
 * @param load what its threads do
 */
public record WorkerSettings(String name, int redisPort, int resourcePort, Path history, long seed, Load load) {

	/**
	 * Make command line arguments.
	 * @return what {@link #parse} understands
	 */
	public List<String> arguments() {
		return List.of(this.name, "" + this.redisPort, "" + this.resourcePort, this.history.toString(), "" + this.seed,
				this.load.format());
	}

	static WorkerSettings parse(String[] args) {
		return new WorkerSettings(args[0], Integer.parseInt(args[1]), Integer.parseInt(args[2]), Path.of(args[3]),
				Long.parseLong(args[4]), Load.parse(args[5]));
	}

	/**
	 * What the threads of a worker do.
	 *
	 * @param threads how many there are
	 * @param keys how many keys they lock
	 * @param leaseMillis the lease of the watchdog; explicit ones are of its size
	 * @param fair the share of fair requests, 0 to 1
	 * @param patient the share of calls that wait for ever
	 * @param lasting the share of calls with a lease of many seconds
	 * @param sectionMillis the longest usual section
	 * @param interrupts the mean time between interrupts, 0 for none
	 * @param read the share of requests to read; half of the others write then, and the
	 * rest is exclusive
	 */
	public record Load(int threads, int keys, int leaseMillis, double fair, double patient, double lasting,
			int sectionMillis, int interrupts, double read) {

		/** What is usual. */
		public static final Load USUAL = new Load(4, 3, 600, 0, 0.3, 0.1, 60, 150, 0);

		/**
		 * Make a share of the requests fair.
		 * @param share the share, 0 to 1
		 * @return a changed copy
		 */
		public Load withFair(double share) {
			return new Load(this.threads, this.keys, this.leaseMillis, share, this.patient, this.lasting,
					this.sectionMillis, this.interrupts, this.read);
		}

		/**
		 * Make a share of the requests read.
		 * @param share the share, 0 to 1
		 * @return a changed copy
		 */
		public Load withRead(double share) {
			return new Load(this.threads, this.keys, this.leaseMillis, this.fair, this.patient, this.lasting,
					this.sectionMillis, this.interrupts, share);
		}

		String format() {
			return this.threads + "," + this.keys + "," + this.leaseMillis + "," + this.fair + "," + this.patient + ","
					+ this.lasting + "," + this.sectionMillis + "," + this.interrupts + "," + this.read;
		}

		static Load parse(String text) {
			double[] parts = Arrays.stream(text.split(",")).mapToDouble(Double::parseDouble).toArray();
			return new Load((int) parts[0], (int) parts[1], (int) parts[2], parts[3], parts[4], parts[5],
					(int) parts[6], (int) parts[7], parts[8]);
		}

	}

}
