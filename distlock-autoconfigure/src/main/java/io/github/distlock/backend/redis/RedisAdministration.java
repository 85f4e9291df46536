package io.github.distlock.backend.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import io.github.distlock.LockInstance;
import io.github.distlock.LockMode;
import io.github.distlock.backend.InstanceEntry;
import io.github.distlock.backend.StoreAdministration;
import io.github.distlock.backend.StoredLock;
import io.github.distlock.backend.StoredLock.StoredHolder;
import io.github.distlock.backend.StoredLock.StoredWaiter;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.redis.ScriptExecutor.Reply;

/**
 * What operators need of a {@link RedisLockStore}. Thread-safe.
 */
final class RedisAdministration implements StoreAdministration {

	private static final String TTL_MILLIS = Long.toString(ENTRY_TTL.toMillis());

	/** A holder has a first token and a lease; a waiting ticket only its name. */
	private static final int PARTS_OF_HOLDER = 3;

	private final RedisLockStore store;

	private final RedisConnections connections;

	private final RedisKeys keys;

	private final LockInstance self;

	private final Supplier<LockScan> scans;

	RedisAdministration(RedisLockStore store, RedisConnections connections, RedisKeys keys, LockInstance self,
			Supplier<LockScan> scans) {
		this.store = store;
		this.connections = connections;
		this.keys = keys;
		this.self = self;
		this.scans = scans;
	}

	@Override
	public String location() {
		return this.connections.server().name() + ", prefix '" + this.keys.prefix() + "'";
	}

	@Override
	public String channel() {
		return this.connections.isSubscribed() ? "subscribed" : "polling";
	}

	/** It asks what a lock asks for first; no right is needed that locks do not need. */
	@Override
	public void ping() {
		this.connections.administer(Scripts.INSPECT, "ping", null,
				this.keys.lockQueueAndReaders("ping-" + this.self.id()));
	}

	@Override
	public void announce() {
		if (this.self.isResolved()) {
			this.connections.administer(Scripts.ANNOUNCE, "announcement of this instance", null,
					List.of(this.keys.instances()), InstanceEntry.encode(this.self), TTL_MILLIS);
		}
	}

	@Override
	public void withdraw() {
		if (this.self.isResolved()) {
			this.connections.administer(Scripts.WITHDRAW, "withdrawal of this instance", null,
					List.of(this.keys.instances()), InstanceEntry.encode(this.self));
		}
	}

	@Override
	public List<InstanceEntry> instances() {
		return RedisNodeAdministration.entries(this.connections.administer(Scripts.INSTANCES, "list of instances", null,
				List.of(this.keys.instances())));
	}

	@Override
	public StoredLock inspect(String key) {
		List<?> lines = this.connections.administer(Scripts.INSPECT, "inspection", key,
				this.keys.lockQueueAndReaders(key));
		List<StoredHolder> holders = new ArrayList<>();
		List<StoredWaiter> waiting = new ArrayList<>();
		for (Object line : lines) {
			// A script answers bytes, whatever the driver.
			String[] parts = new String((byte[]) line, StandardCharsets.UTF_8).split(",");
			if (parts.length == PARTS_OF_HOLDER) {
				holders.add(Reply.stored(key, parts[0], Long.parseLong(parts[1]),
						Duration.ofMillis(Math.max(0, Long.parseLong(parts[2])))));
			}
			else {
				Ticket ticket = Ticket.of(key, parts[0]);
				waiting.add(new StoredWaiter(ticket.instance(), ticket.mode()));
			}
		}
		return new StoredLock(key, holders, waiting);
	}

	/**
	 * An answer that was lost and a command that is repeated are harmless: the token
	 * names the grant.
	 */
	@Override
	public EndResult end(String key, long grantToken) {
		// The ticket of a reader has all keys of the lock.
		Ticket keys = new Ticket(key, LockMode.READ, this.self.id(), 0, true);
		var answer = this.store.ask(Scripts.END, "end of a grant", keys, Long.toString(grantToken));
		return switch (answer.value().word()) {
			case Reply.ENDED -> EndResult.ENDED;
			case Reply.CHANGED -> answer.repeated() ? EndResult.ENDED : EndResult.CHANGED;
			case Reply.NOT_HELD -> answer.repeated() ? EndResult.ENDED : EndResult.NOT_HELD;
			default -> throw new IllegalStateException("Not an answer to an end: " + answer.value());
		};
	}

	@Override
	public SweepResult endAll(String instance) {
		if (isAlive(instance)) {
			return SweepResult.ALIVE;
		}
		int[] released = new int[1];
		try (LockScan scan = this.scans.get()) {
			boolean complete = scan.grantsOf(instance, (key, first) -> {
				if (end(key, first) == EndResult.ENDED) {
					released[0]++;
				}
			});
			return new SweepResult(false, released[0], complete);
		}
	}

	/**
	 * An inbox is counted where it is subscribed. In a cluster that may be another node:
	 * there the entry alone says that an instance is alive.
	 */
	private boolean isAlive(String instance) {
		Long alive = this.connections.administer(Scripts.ALIVE, "question whether an instance is alive", null,
				List.of(this.keys.instances()), instance, this.keys.inboxPrefix() + instance, RedisInbox.PROBE);
		return alive > 0;
	}

}
