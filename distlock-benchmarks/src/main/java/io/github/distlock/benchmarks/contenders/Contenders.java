package io.github.distlock.benchmarks.contenders;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * All contenders.
 */
public final class Contenders {

	private static final List<Contender> ALL = Stream
		.of(DistlockContenders.all(), RedissonContenders.all(), SpringIntegrationContenders.all(),
				Lock4jContenders.all(), OtherContenders.all())
		.flatMap(List::stream)
		.toList();

	private Contenders() {
	}

	/**
	 * Return all contenders.
	 * @return in the order of the tables
	 */
	public static List<Contender> all() {
		return ALL;
	}

	/**
	 * Find a contender.
	 * @param id what it is called
	 * @return the contender
	 * @throws IllegalArgumentException if there is none
	 */
	public static Contender named(String id) {
		if (id.equals(PreviousVersion.ID)) {
			return PreviousVersion.contender();
		}
		return ALL.stream()
			.filter((contender) -> contender.id().equals(id))
			.findFirst()
			.orElseThrow(() -> new IllegalArgumentException("There is no contender '" + id + "': use "
					+ ALL.stream().map(Contender::id).collect(Collectors.joining(", "))));
	}

	/**
	 * Return the place of a contender among all, which makes keys of its own for it.
	 * @param contender which
	 * @return two digits, so that keys of all contenders have one length
	 */
	public static String number(Contender contender) {
		int place = contender.id().equals(PreviousVersion.ID) ? ALL.size() : ALL.indexOf(contender);
		return "%02d".formatted(place);
	}

}
