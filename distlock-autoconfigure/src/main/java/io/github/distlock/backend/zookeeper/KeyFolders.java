package io.github.distlock.backend.zookeeper;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

import org.apache.zookeeper.KeeperException;

/**
 * Removes the folders of keys that are no longer in use, after a delay: a key is often
 * locked again soon, and its folder need not be created again then. A folder that another
 * JVM uses is not empty and stays; the JVM that leaves it last removes it. Folders are
 * container nodes as well, so the server removes those that a crashed JVM has left.
 */
final class KeyFolders {

	private static final long REMOVAL_DELAY_NANOS = Duration.ofSeconds(2).toNanos();

	private final ZooKeeperConnection connection;

	private final ConcurrentMap<String, Usage> folders = new ConcurrentHashMap<>();

	KeyFolders(ZooKeeperConnection connection) {
		this.connection = connection;
	}

	void ticketAdded(String path) {
		this.folders.compute(path, (key, usage) -> (usage != null)
				? new Usage(usage.tickets + 1, usage.removalScheduled) : new Usage(1, false));
	}

	void ticketRemoved(String path) {
		boolean[] schedule = new boolean[1];
		this.folders.computeIfPresent(path, (key, usage) -> {
			schedule[0] = usage.tickets == 1 && !usage.removalScheduled;
			return new Usage(usage.tickets - 1, usage.removalScheduled || schedule[0]);
		});
		if (schedule[0]) {
			this.connection.later(() -> removeIfUnused(path), REMOVAL_DELAY_NANOS);
		}
	}

	private void removeIfUnused(String path) {
		Usage remaining = this.folders.computeIfPresent(path,
				(key, usage) -> (usage.tickets == 0) ? null : new Usage(usage.tickets, false));
		if (remaining != null) {
			return;
		}
		ZooKeeperSession session = this.connection.connectedSession();
		CompletableFuture<Boolean> removal = (session != null) ? session.commands().delete(path)
				: CompletableFuture.failedFuture(new KeeperException.ConnectionLossException());
		removal.whenComplete((removed, failure) -> {
			if (failure instanceof KeeperException.ConnectionLossException
					|| failure instanceof KeeperException.SessionExpiredException) {
				// Try again after the same delay.
				ticketAdded(path);
				ticketRemoved(path);
			}
		});
	}

	/**
	 * How this JVM uses a folder.
	 *
	 * @param tickets the number of its tickets in the folder
	 * @param removalScheduled whether a timer is set that removes the folder if it is
	 * unused then
	 */
	private record Usage(int tickets, boolean removalScheduled) {
	}

}
