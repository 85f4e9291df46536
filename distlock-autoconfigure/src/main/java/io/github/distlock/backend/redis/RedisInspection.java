package io.github.distlock.backend.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.github.distlock.LockMode;
import io.github.distlock.backend.StoreInspection;
import io.github.distlock.backend.StoredLock;
import io.github.distlock.backend.StoredLock.StoredHolder;
import io.github.distlock.backend.StoredLock.StoredWaiter;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.redis.ScriptExecutor.Reply;

/**
 * What a {@link RedisLockStore} tells operators. Thread-safe.
 */
final class RedisInspection implements StoreInspection {

	/** A holder has a first token and a lease; a waiting ticket only its name. */
	private static final int PARTS_OF_HOLDER = 3;

	private final RedisLockStore store;

	private final RedisConnections connections;

	private final RedisKeys keys;

	private final String self;

	RedisInspection(RedisLockStore store, RedisConnections connections, RedisKeys keys, String self) {
		this.store = store;
		this.connections = connections;
		this.keys = keys;
		this.self = self;
	}

	@Override
	public StoredLock inspect(String key) {
		List<?> lines = this.connections.inspect("inspection", key, this.keys.lockQueueAndReaders(key));
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
		Ticket keys = new Ticket(key, LockMode.READ, this.self, 0, true);
		var answer = this.store.ask(Scripts.END, "end of a grant", keys, Long.toString(grantToken));
		return switch (answer.value().kind()) {
			case Reply.ENDED -> EndResult.ENDED;
			case Reply.CHANGED -> answer.repeated() ? EndResult.ENDED : EndResult.CHANGED;
			case Reply.NOT_HELD -> answer.repeated() ? EndResult.ENDED : EndResult.NOT_HELD;
			default -> throw new IllegalStateException("Not an answer to an end: " + answer.value());
		};
	}

}
