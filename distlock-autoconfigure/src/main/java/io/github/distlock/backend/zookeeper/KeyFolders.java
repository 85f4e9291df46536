package io.github.distlock.backend.zookeeper;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.jspecify.annotations.Nullable;

/**
 * The folders of the keys that this JVM uses. It removes those that are no longer in use,
 * after a delay: a key is often locked again soon, and its folder need not be created
 * again then. A folder that another JVM uses is not empty and stays; the JVM that leaves
 * it last removes it. Folders are container nodes as well, so the server removes those
 * that a crashed JVM has left.
 * <p>
 * This is the watcher of all folders. A watch is never removed: it ends with the folder,
 * or with the session. To remove it would take the watches of other stores of the same
 * client, which rely on them.
 */
final class KeyFolders implements Watcher {

	private static final long REMOVAL_DELAY_NANOS = Duration.ofSeconds(2).toNanos();

	private final ZooKeeperConnection connection;

	private final ConcurrentMap<String, Usage> folders = new ConcurrentHashMap<>();

	KeyFolders(ZooKeeperConnection connection) {
		this.connection = connection;
	}

	/** A ticket uses a folder from now on. */
	KeyFolder ticketAdded(String path) {
		return this.folders
			.compute(path,
					(key, usage) -> (usage != null) ? new Usage(usage.folder, usage.tickets + 1, usage.removalScheduled)
							: new Usage(new KeyFolder(path), 1, false))
			.folder();
	}

	void ticketRemoved(String path) {
		boolean[] schedule = new boolean[1];
		this.folders.computeIfPresent(path, (key, usage) -> {
			schedule[0] = usage.tickets == 1 && !usage.removalScheduled;
			return new Usage(usage.folder, usage.tickets - 1, usage.removalScheduled || schedule[0]);
		});
		if (schedule[0]) {
			this.connection.later(() -> removeIfUnused(path), REMOVAL_DELAY_NANOS);
		}
	}

	private void removeIfUnused(String path) {
		Usage remaining = this.folders.computeIfPresent(path,
				(key, usage) -> (usage.tickets == 0) ? null : new Usage(usage.folder, usage.tickets, false));
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
	 * Watch a folder if that may save lists of it. Does not wait for the reply, which
	 * comes before those to later commands.
	 */
	void watchIfUseful(KeyFolder folder, ZooKeeperSession session) {
		KeyFolder.FolderWatch watch = folder.requestWatch(session, this.connection.disconnects());
		if (watch != null) {
			session.commands().watch(folder.path(), this).whenComplete((exists, failure) -> {
				if (failure == null) {
					folder.watched(watch, exists);
				}
			});
		}
	}

	/** Called on the event thread. */
	@Override
	public void process(WatchedEvent event) {
		@Nullable String fullPath = event.getPath();
		if (fullPath != null && event.getType() != Event.EventType.None) {
			Usage usage = this.folders.get(this.connection.withoutNamespace(fullPath));
			if (usage != null) {
				usage.folder.changed(event.getType() == Event.EventType.NodeDeleted);
			}
		}
	}

	/**
	 * How this JVM uses a folder.
	 *
	 * @param folder what it knows about the folder
	 * @param tickets the number of its tickets in the folder
	 * @param removalScheduled whether a timer is set that removes the folder if it is
	 * unused then
	 */
	private record Usage(KeyFolder folder, int tickets, boolean removalScheduled) {
	}

}
