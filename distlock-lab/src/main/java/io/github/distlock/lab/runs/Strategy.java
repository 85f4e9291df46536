package io.github.distlock.lab.runs;

import java.util.EnumMap;
import java.util.Map;

import io.github.distlock.lab.servers.Store;
import org.jspecify.annotations.Nullable;

/**
 * A way to protect the stock, and the verdicts that are expected of it.
 *
 * @param name its name for users and for the services
 * @param store the server that it needs besides the database and the Redis
 * @param usual what is expected without a fault
 * @param underFaults what is expected under each fault; {@code usual} if it is not named
 * @param group the group in which the page shows it
 * @param fixedBy name of the strategy that corrects what is wrong with it, or
 * {@code null}
 * @param source its code
 */
public record Strategy(String name, Store store, Expectation usual, Map<Fault, Expectation> underFaults, String group,
		@Nullable String fixedBy, Source source) {

	public Strategy {
		underFaults = Map.copyOf(underFaults);
	}

	/**
	 * Begin to describe a strategy that needs no further server.
	 * @param name its name
	 * @param verdict the verdict that is expected without a fault
	 * @param why the reason, one sentence
	 * @return the strategy, without a group and code
	 */
	public static Strategy of(String name, Verdict verdict, String why) {
		return new Strategy(name, Store.NONE, new Expectation(verdict, why), Map.of(), "", null, new Source("", ""));
	}

	/**
	 * Name the server that it needs besides.
	 * @param needed the server
	 * @return this strategy with that server
	 */
	public Strategy in(Store needed) {
		return new Strategy(this.name, needed, this.usual, this.underFaults, this.group, this.fixedBy, this.source);
	}

	/**
	 * Add what is expected under a fault.
	 * @param fault the fault
	 * @param verdict the expected verdict
	 * @param why the reason, one sentence
	 * @return this strategy with that expectation
	 */
	public Strategy under(Fault fault, Verdict verdict, String why) {
		Map<Fault, Expectation> more = new EnumMap<>(Fault.class);
		more.putAll(this.underFaults);
		more.put(fault, new Expectation(verdict, why));
		return new Strategy(this.name, this.store, this.usual, more, this.group, this.fixedBy, this.source);
	}

	/**
	 * Say how the page shows it.
	 * @param shownIn the group
	 * @param correctedBy name of the strategy that corrects what is wrong with it, or
	 * {@code null}
	 * @param code its code
	 * @return this strategy as it is shown
	 */
	public Strategy shown(String shownIn, @Nullable String correctedBy, Source code) {
		return new Strategy(this.name, this.store, this.usual, this.underFaults, shownIn, correctedBy, code);
	}

	/**
	 * Return what is expected.
	 * @param fault the fault that strikes
	 */
	public Expectation expected(Fault fault) {
		return this.underFaults.getOrDefault(fault, this.usual);
	}

	/**
	 * What is expected.
	 *
	 * @param verdict the verdict that the figures must show
	 * @param why the reason, one sentence
	 */
	public record Expectation(Verdict verdict, String why) {

	}

	/**
	 * The code of a strategy, a part of a source file. The build copies the sources to
	 * the folder {@code lab/source} of the class path.
	 *
	 * @param file the source file below that folder, without its extension
	 * @param method the method to show
	 */
	public record Source(String file, String method) {

		/**
		 * Return the name of the file without its folder.
		 */
		public String fileName() {
			return this.file.substring(this.file.lastIndexOf('/') + 1) + ".java";
		}

	}

}
