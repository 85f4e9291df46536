package io.github.distlock.simulation;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.LockStore.Renewal;
import io.github.distlock.backend.StoreInspection.EndResult;
import io.github.distlock.backend.StoredLock;
import io.github.distlock.backend.StoredLock.StoredHolder;
import io.github.distlock.backend.StoredLock.StoredWaiter;
import io.github.distlock.backend.Ticket;
import io.github.distlock.simulation.StoredKey.Reader;
import io.github.distlock.simulation.StoredKey.Waiter;
import io.github.distlock.simulation.StoredKey.Word;
import org.jspecify.annotations.Nullable;

/**
 * The lock server: the scripts of Redis on objects, one command at a time. It is written
 * from the scripts and from their model, and has a clock of its own.
 */
final class SimulatedServer {

	/** How long writes can be taken back. */
	private static final long HISTORY_NANOS = Duration.ofMillis(200).toNanos();

	private static final long EPOCH_MICROS = 1_700_000_000_000_000L;

	private final World world;

	private final long offsetMicros;

	private final Map<String, StoredKey> keys = new TreeMap<>();

	/** The keys whose renewals and attempts fail, and until when; and how they fail. */
	private final Map<String, Long> poisoned = new TreeMap<>();

	private final Set<String> throwing = new HashSet<>();

	/** What the keys were before the latest commands, the oldest first. */
	private final Deque<Write> history = new ArrayDeque<>();

	SimulatedServer(World world) {
		this.world = world;
		this.offsetMicros = (world.plan.seed() % 7200) * 1_000_000;
	}

	long micros() {
		return EPOCH_MICROS + this.offsetMicros + this.world.scheduler.nanos() / 1000;
	}

	/** When its clock shows a time; a token is such a time, or a little later. */
	long nanosOf(long micros) {
		return (micros - EPOCH_MICROS - this.offsetMicros) * 1000;
	}

	/** Run a script, whole, on what is stored of a key. */
	private <T> T run(String name, Function<ServerScript, T> script) {
		long now = micros();
		StoredKey before = this.keys.getOrDefault(name, new StoredKey());
		StoredKey stored = before.copy();
		stored.expire(now / 1000);
		T answer = script.apply(this.world.scripts.create(stored, now, this.world.network));
		String broken = stored.broken();
		if (broken != null) {
			this.world.violation("word", name + ": " + broken + ": " + stored);
		}
		put(name, stored);
		long nanos = this.world.scheduler.nanos();
		this.history.add(new Write(nanos, name, before));
		while (nanos - this.history.getFirst().nanos() > HISTORY_NANOS) {
			this.history.removeFirst();
		}
		return answer;
	}

	private void put(String name, StoredKey stored) {
		if (stored.isGone()) {
			this.keys.remove(name);
		}
		else {
			this.keys.put(name, stored);
		}
	}

	void poison(String key, long until, boolean answersThrow) {
		this.poisoned.merge(key, until, Math::max);
		if (answersThrow) {
			this.throwing.add(key);
		}
	}

	void heal() {
		this.poisoned.clear();
	}

	long poisonedUntil(String key) {
		return this.poisoned.getOrDefault(key, -1L);
	}

	/** Whether a key is poisoned, in one of the two ways. */
	boolean isPoisoned(String key, boolean answersThrow) {
		return this.world.scheduler.nanos() < poisonedUntil(key) && this.throwing.contains(key) == answersThrow;
	}

	void clear() {
		this.keys.clear();
		this.history.clear();
	}

	/** A replica takes over that has not received the last writes. */
	void loseWrites(long nanos) {
		long since = this.world.scheduler.nanos() - nanos;
		while (!this.history.isEmpty() && this.history.getLast().nanos() >= since) {
			Write lost = this.history.removeLast();
			put(lost.name(), lost.before());
		}
	}

	/** What is stored of a key; a copy. */
	StoredKey stored(String name) {
		StoredKey copy = this.keys.getOrDefault(name, new StoredKey()).copy();
		copy.expire(micros() / 1000);
		return copy;
	}

	List<String> keysLeft() {
		List<String> left = new ArrayList<>();
		for (String name : this.keys.keySet()) {
			StoredKey stored = stored(name);
			if (!stored.isGone()) {
				left.add(name + ": " + stored);
			}
		}
		return left;
	}

	/** attempt.lua, with the letter T, S or N, as there. */
	ServerAnswer attempt(Ticket ticket, long lease, char how) {
		if (isPoisoned(ticket.key(), false) && this.world.networkRandom.nextBoolean()) {
			throw new RefusedCommand(ticket.key());
		}
		return run(ticket.key(), (script) -> attempt(script, ticket, lease, how));
	}

	private ServerAnswer attempt(ServerScript script, Ticket ticket, long lease, char how) {
		StoredKey stored = script.stored;
		boolean absent = stored.word == Word.ABSENT;
		if (absent && stored.hasNoQueue() || stored.word == Word.TOMBSTONE && stored.last < script.now) {
			stored.own(ticket, script.now, ServerScript.count(ticket), script.nowMillis + lease);
			return ServerAnswer.granted(script.now, lease);
		}
		if (ticket.equals(stored.owner)) {
			// Never refreshed: a stray copy must not lengthen anything.
			return ServerAnswer.granted(stored.first, script.pttl());
		}
		if (ticket.isReader() && stored.owner != null && stored.owner.isReader()) {
			script.share();
		}
		if (script.state == Word.ABSENT || script.state == Word.TOMBSTONE) {
			script.grantNext(absent ? 0 : stored.last, ticket, lease, absent);
			if (script.state == Word.ABSENT && ticket.isReader()) {
				stored.readers.clear();
				script.state = Word.READERS;
			}
			else if (script.state == Word.ABSENT) {
				script.own(ticket, script.nextToken(script.last), lease);
			}
			if (ticket.equals(script.owner)) {
				return ServerAnswer.granted(script.first, script.ttl);
			}
		}
		ServerAnswer entered = ticket.isReader() ? read(script, ticket, lease, false) : null;
		if (entered != null) {
			return entered;
		}
		if (how == 'N') {
			Map.Entry<Ticket, Reader> first = (script.state == Word.READERS && ticket.isReader()) ? script.shortest()
					: null;
			return held(script, ServerAnswer.Word.BUSY,
					(first != null) ? first.getValue().ends() - script.nowMillis : script.pttl(), 0, false);
		}
		boolean queuedNow = script.enqueue(ticket, lease, how);
		int position = stored.place(ticket);
		if (stored.word == Word.OWNED) {
			stored.waited = true;
		}
		if (ticket.isReader() && script.state == Word.READERS && !queuedNow) {
			entered = read(script, ticket, lease, true);
			if (entered != null) {
				return entered;
			}
		}
		long left = script.pttl();
		Map.Entry<Ticket, Reader> soonest = (script.state == Word.READERS) ? script.shortest() : null;
		if (soonest != null) {
			left = soonest.getValue().ends() - script.nowMillis;
		}
		return held(script, ServerAnswer.Word.WAITING, left, position, queuedNow);
	}

	/** holds() in attempt.lua: let a reader enter with those that hold the lock. */
	private @Nullable ServerAnswer read(ServerScript script, Ticket ticket, long lease, boolean again) {
		if (script.state != Word.READERS) {
			return null;
		}
		if (script.reading(ticket) == null) {
			long last = script.last;
			boolean lives = again ? script.passOver(last, ticket, lease) : script.admitHead(last, ticket, lease);
			if (!lives) {
				script.grantNext(script.last, ticket, lease, false);
				if (script.state == Word.ABSENT) {
					script.stored.readers.clear();
					script.state = Word.READERS;
				}
			}
		}
		if (script.reading(ticket) == null && script.state == Word.READERS && script.isQueueEmpty()
				&& script.mayEnter(ticket)) {
			script.settle(script.enter(ticket, lease, script.last));
		}
		Reader mine = script.reading(ticket);
		return (mine != null) ? ServerAnswer.granted(mine.first(), mine.ends() - script.nowMillis) : null;
	}

	/** An answer that names what holds the lock. */
	private static ServerAnswer held(ServerScript script, ServerAnswer.Word word, long ttl, int position,
			boolean queuedNow) {
		Ticket holder = script.owner;
		long first = script.first;
		Map.Entry<Ticket, Reader> reader = (script.state == Word.READERS) ? script.shortest() : null;
		if (reader != null) {
			holder = reader.getKey();
			first = reader.getValue().first();
		}
		return new ServerAnswer(word, 0, ttl, position, queuedNow, script.now, holder, first);
	}

	/**
	 * release.lua, with the last token that was used, and the ticket that follows, queued
	 * as the letter says.
	 */
	ServerAnswer release(Ticket ticket, long used, @Nullable Ticket next, long lease, char how) {
		if (this.world.flaw == PromiseFlaw.RELEASES_IGNORED && next == null) {
			return ServerAnswer.of(ServerAnswer.Word.OK);
		}
		ServerAnswer answer = run(ticket.key(), (script) -> release(script, ticket, used, next, lease, how));
		return (this.world.flaw == PromiseFlaw.UNKNOWN_RELEASES_CONFIRMED) ? ServerAnswer.of(ServerAnswer.Word.OK)
				: answer;
	}

	private ServerAnswer release(ServerScript script, Ticket ticket, long used, @Nullable Ticket next, long lease,
			char how) {
		StoredKey stored = script.stored;
		if (stored.word == Word.READERS) {
			if (script.leave(ticket, stored.last)) {
				return ServerAnswer.of(ServerAnswer.Word.OK);
			}
			script.forget(ticket);
			return ServerAnswer.of(ServerAnswer.Word.GONE);
		}
		if (!ticket.equals(stored.owner)) {
			return ServerAnswer.of(ServerAnswer.Word.GONE);
		}
		boolean usual = used >= stored.first;
		long tombstone = script.nowMillis + 10_000;
		if (!stored.waited && next == null && usual) {
			// No ticket waits, so the queue is not looked at.
			stored.write(Word.TOMBSTONE, used, tombstone);
			return ServerAnswer.of(ServerAnswer.Word.OK);
		}
		if (usual && used < script.now && script.isQueueEmpty()) {
			if (next == null) {
				stored.write(Word.TOMBSTONE, used, tombstone);
				return ServerAnswer.of(ServerAnswer.Word.OK);
			}
			stored.own(next, script.now, ServerScript.COUNT, script.nowMillis + lease);
			return ServerAnswer.granted(script.now, lease);
		}
		long last = usual ? Math.min(stored.last, used) : stored.last;
		script.remove(ticket);
		script.grantNext(last, next, lease, false);
		if (script.state == Word.ABSENT) {
			if (next == null) {
				script.bury(script.last);
				return ServerAnswer.of(ServerAnswer.Word.OK);
			}
			script.own(next, script.nextToken(script.last), lease);
		}
		if (next == null) {
			return ServerAnswer.of(ServerAnswer.Word.OK);
		}
		if (next.equals(script.owner)) {
			return ServerAnswer.granted(script.first, script.ttl);
		}
		if (how == 'N') {
			return ServerAnswer.of(ServerAnswer.Word.UNQUEUED);
		}
		script.enqueue(next, lease, how);
		return held(script, ServerAnswer.Word.WAITING, script.ttl, stored.place(next), true);
	}

	ServerAnswer cancel(Ticket ticket) {
		if (this.world.flaw == PromiseFlaw.CANCELS_IGNORED) {
			return ServerAnswer.of(ServerAnswer.Word.OK);
		}
		return run(ticket.key(), (script) -> {
			if (ticket.equals(script.owner)) {
				// Granted by a message that its JVM has not received.
				script.pass(script.first);
				return ServerAnswer.of(ServerAnswer.Word.OK);
			}
			boolean left = script.state == Word.READERS && script.leave(ticket, script.last) || script.forget(ticket);
			return ServerAnswer.of(left ? ServerAnswer.Word.OK : ServerAnswer.Word.GONE);
		});
	}

	/**
	 * renew.lua and read-renew.lua. Answers for each 1 renewed, 0 gone, 2 gone and held
	 * by another.
	 */
	List<Integer> renew(List<Renewal> renewals) {
		Stream<String> keys = (this.world.flaw == PromiseFlaw.NEIGHBOURS_REFUSED) ? this.poisoned.keySet().stream()
				: renewals.stream().map((each) -> each.ticket().key());
		keys.filter((key) -> isPoisoned(key, false)).forEach((key) -> {
			throw new RefusedCommand(key);
		});
		return renewals.stream().map(this::renew).toList();
	}

	private int renew(Renewal renewal) {
		Ticket ticket = renewal.ticket();
		long lease = renewal.lease().toMillis();
		return run(ticket.key(), (script) -> {
			StoredKey stored = script.stored;
			if (ticket.isReader() && stored.word != Word.OWNED) {
				Reader reader = (stored.word == Word.READERS) ? script.reading(ticket) : null;
				if (reader == null || reader.first() != renewal.lastToken()) {
					return 0;
				}
				stored.expires = Math.max(stored.expires, script.nowMillis + lease);
				stored.readers.put(ticket,
						new Reader(Math.max(reader.ends(), script.nowMillis + lease), reader.first()));
				return 1;
			}
			if (ticket.equals(stored.owner) && stored.last == renewal.lastToken()) {
				stored.expires = Math.max(stored.expires, script.nowMillis + lease);
				return 1;
			}
			boolean others = stored.word == Word.READERS || stored.owner != null && !stored.owner.equals(ticket);
			return others ? 2 : 0;
		});
	}

	EndResult end(String key, long grant) {
		return run(key, (script) -> {
			if (script.state == Word.READERS) {
				Ticket ticket = script.stored.readers.entrySet()
					.stream()
					.filter((each) -> each.getValue().first() == grant && script.reading(each.getKey()) != null)
					.map(Map.Entry::getKey)
					.findFirst()
					.orElse(null);
				if (ticket == null) {
					return (script.shortest() != null) ? EndResult.CHANGED : EndResult.NOT_HELD;
				}
				long last = script.last;
				script.stored.readers.remove(ticket);
				script.publish(ticket, ServerMessage.ended(ticket, grant));
				script.succeed(last);
				return EndResult.ENDED;
			}
			Ticket owner = script.owner;
			if (owner == null) {
				return EndResult.NOT_HELD;
			}
			if (script.first != grant) {
				return EndResult.CHANGED;
			}
			script.publish(owner, ServerMessage.ended(owner, grant));
			script.pass(script.last);
			return EndResult.ENDED;
		});
	}

	StoredLock inspect(String key) {
		StoredKey stored = stored(key);
		long now = micros() / 1000;
		List<StoredHolder> holders = new ArrayList<>();
		if (stored.owner != null) {
			holders.add(holder(stored.owner, stored.first, stored.expires - now));
		}
		else if (stored.word == Word.READERS) {
			stored.readers.entrySet()
				.stream()
				.filter((each) -> each.getValue().ends() > now)
				.sorted(Comparator.comparing((each) -> each.getValue().ends()))
				.forEach((each) -> holders
					.add(holder(each.getKey(), each.getValue().first(), each.getValue().ends() - now)));
		}
		return new StoredLock(key, holders,
				stored.queue.stream()
					.map(Waiter::ticket)
					.map((each) -> new StoredWaiter(each.instance(), each.mode(), each.permits()))
					.toList());
	}

	static StoredHolder holder(Ticket ticket, long first, long ttlMillis) {
		return new StoredHolder(ticket.instance(), ticket.mode(), Instant.EPOCH.plus(first, ChronoUnit.MICROS),
				Duration.ofMillis(Math.max(0, ttlMillis)), first, ticket.permits());
	}

	/** The server answers a command with an error, and has done nothing. */
	@SuppressWarnings("serial")
	static final class RefusedCommand extends LockBackendException {

		RefusedCommand(String key) {
			super("The simulated server cannot use " + key);
		}

	}

	private record Write(long nanos, String name, StoredKey before) {
	}

}
