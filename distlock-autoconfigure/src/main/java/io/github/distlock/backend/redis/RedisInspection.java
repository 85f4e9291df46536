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

/**
 * What a {@link RedisLockStore} tells operators. Thread-safe.
 */
final class RedisInspection implements StoreInspection {

	/** A holder has a first token and a lease; a waiting ticket only its name. */
	private static final int PARTS_OF_HOLDER = 3;

	private final RedisLockStore store;

	private final String self;

	RedisInspection(RedisLockStore store, String self) {
		this.store = store;
		this.self = self;
	}

	@Override
	public StoredLock inspect(String key) {
		List<StoredHolder> holders = new ArrayList<>();
		List<StoredWaiter> waiting = new ArrayList<>();
		for (byte[] line : this.store.look("inspection", key, key)) {
			String[] parts = new String(line, StandardCharsets.UTF_8).split(",");
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
		Reply reply = this.store.ask(Scripts.END, "end of a grant", keys, Long.toString(grantToken));
		return switch (reply.kind()) {
			case Reply.ENDED -> EndResult.ENDED;
			case Reply.CHANGED -> EndResult.CHANGED;
			case Reply.NOT_HELD -> EndResult.NOT_HELD;
			default -> throw new IllegalStateException("Not an answer to an end: " + reply);
		};
	}

}
