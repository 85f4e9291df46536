package io.github.distlock.benchmarks.catalogue;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.distlock.benchmarks.contenders.Contender;
import io.github.distlock.benchmarks.distlock.DistlockContenders;
import io.github.distlock.benchmarks.peers.jdbc.JdbcContenders;
import io.github.distlock.benchmarks.peers.redis.Lock4jContenders;
import io.github.distlock.benchmarks.peers.redis.RedissonContenders;
import io.github.distlock.benchmarks.peers.redis.SpringRedisContenders;
import io.github.distlock.benchmarks.peers.redis.TryingRedisContenders;
import io.github.distlock.benchmarks.peers.zookeeper.ZooKeeperContenders;

/**
 * All contenders.
 */
public final class Contenders {

	private static final List<Contender> ALL = Stream
		.of(DistlockContenders.all(), RedissonContenders.all(), SpringRedisContenders.all(), Lock4jContenders.all(),
				TryingRedisContenders.all(), JdbcContenders.all(), ZooKeeperContenders.all())
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
		if (PreviousVersion.isPrevious(id)) {
			return PreviousVersion.of(named(PreviousVersion.current(id)));
		}
		return ALL.stream()
			.filter((contender) -> contender.id().equals(id))
			.findFirst()
			.orElseThrow(() -> new IllegalArgumentException("There is no contender '" + id + "': use "
					+ ALL.stream().map(Contender::id).collect(Collectors.joining(", "))));
	}

	/**
	 * Return the contenders that a workload is made for.
	 * @param ids what they are called
	 * @param selected those that the user wants
	 * @return all of them, whatever the user wants, and earlier versions if there are any
	 */
	public static List<Contender> only(List<String> ids, List<Contender> selected) {
		boolean previous = selected.stream().anyMatch((contender) -> PreviousVersion.isPrevious(contender.id()));
		return ids.stream()
			.map(Contenders::named)
			.flatMap((contender) -> previous ? PreviousVersion.beside(contender) : Stream.of(contender))
			.toList();
	}

	private static int place(String id) {
		return ALL.stream().map(Contender::id).toList().indexOf(id);
	}

	/**
	 * Return the place of a contender among all, which makes keys of its own for it.
	 * @param contender which
	 * @return two digits, so that keys of all contenders have one length
	 */
	public static String number(Contender contender) {
		int place = PreviousVersion.isPrevious(contender.id())
				? ALL.size() + place(PreviousVersion.current(contender.id())) : place(contender.id());
		return "%02d".formatted(place);
	}

}
