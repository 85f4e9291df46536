package io.github.distlock.backend.zookeeper;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

import org.apache.zookeeper.KeeperException;

/**
 * Removes the folders of keys that nobody uses any more. Not at once: a key is often
 * locked again soon, and then its folder need not be made again. A folder that is in use
 * elsewhere is not empty and stays; who leaves it last removes it. Folders are containers
 * besides, so that the server removes those of JVMs that have died.
 */
final class KeyFolders {

	private static final long REST_NANOS = Duration.ofSeconds(2).toNanos();

	private final ZooKeeperConnection link;

	private final ConcurrentMap<String, Folder> folders = new ConcurrentHashMap<>();

	KeyFolders(ZooKeeperConnection link) {
		this.link = link;
	}

	void entered(String path) {
		this.folders.compute(path,
				(key, folder) -> (folder != null) ? folder.withPlaces(folder.places + 1) : new Folder(1, false));
	}

	void left(String path) {
		boolean[] plan = new boolean[1];
		this.folders.computeIfPresent(path, (key, folder) -> {
			plan[0] = folder.places == 1 && !folder.planned;
			return new Folder(folder.places - 1, folder.planned || plan[0]);
		});
		if (plan[0]) {
			this.link.later(() -> remove(path), REST_NANOS);
		}
	}

	private void remove(String path) {
		Folder left = this.folders.computeIfPresent(path,
				(key, folder) -> (folder.places == 0) ? null : new Folder(folder.places, false));
		if (left != null) {
			return;
		}
		ZooKeeperSession session = this.link.connectedSession();
		CompletableFuture<Boolean> removal = (session != null) ? session.handle().delete(path)
				: CompletableFuture.failedFuture(new KeeperException.ConnectionLossException());
		removal.whenComplete((removed, failure) -> {
			if (failure instanceof KeeperException.ConnectionLossException
					|| failure instanceof KeeperException.SessionExpiredException) {
				entered(path);
				left(path);
			}
		});
	}

	/**
	 * A folder that this JVM has used.
	 *
	 * @param places how many places there are in it
	 * @param planned whether a timer is set that removes it if nobody is left
	 */
	private record Folder(int places, boolean planned) {

		Folder withPlaces(int count) {
			return new Folder(count, this.planned);
		}

	}

}
