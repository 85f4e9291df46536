package io.github.distlock.backend.zookeeper;

import java.time.Duration;

import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.zookeeper.KeyFolder.FolderWatch;
import io.github.distlock.backend.zookeeper.ZooKeeperSession.TicketNode;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.mockito.Mockito.mock;

/**
 * When this JVM knows that a node is the first.
 */
class KeyFolderTests {

	private static final String FOLDER = "/distlock/key";

	@AutoClose
	@RegisterExtension
	static final BareNodes nodes = new BareNodes(Duration.ofSeconds(30));

	private final KeyFolder folder = new KeyFolder(FOLDER);

	private BareNode jvm;

	private ZooKeeperSession session;

	@BeforeEach
	void createFolder() throws Exception {
		this.jvm = nodes.node();
		this.session = session();
		this.jvm.hold("key");
	}

	private ZooKeeperSession session() throws Exception {
		return new ZooKeeperSession(this.jvm.client, this.jvm.client.getZookeeperClient().getZooKeeper(),
				TimeSource.SYSTEM);
	}

	private static TicketNode node(int number, ZooKeeperSession owner) {
		return new TicketNode(FOLDER + "/" + "jvm:%d-%010d".formatted(number, number), 64, owner);
	}

	/**
	 * This JVM releases the lock by the deletion of a node, and then watches the folder.
	 */
	private @Nullable FolderWatch watch() {
		this.folder.released(node(3, this.session), null);
		this.folder.watchIfUseful(this.session, KeyFolderTests::ignore);
		await().until(() -> this.folder.watch() != null);
		return this.folder.watch();
	}

	private static void ignore(WatchedEvent event) {
	}

	@Test
	void aFolderIsWatchedAfterTheFirstReleaseAndNotBefore() {
		this.folder.watchIfUseful(this.session, KeyFolderTests::ignore);
		this.session.sync("/").join();
		assertThat(this.folder.watch()).isNull();
		this.folder.released(node(3, this.session), null);
		assertThat(watch()).isNotNull();
	}

	@Test
	void theNextNumberIsFirstAfterARelease() {
		FolderWatch watch = watch();
		assertThat(this.folder.isFirst(node(4, this.session), watch)).isFalse();
		this.folder.released(node(4, this.session), watch);
		assertThat(this.folder.isFirst(node(6, this.session), watch)).isFalse();
		assertThat(this.folder.isFirst(node(5, this.session), watch)).isTrue();
		assertThat(this.folder.isPredictable()).isTrue();
	}

	@Test
	void aDeletionThatWasSentBeforeTheWatchWasConfirmedMeansNothing() {
		FolderWatch watch = watch();
		this.folder.released(node(4, this.session), null);
		assertThat(this.folder.isFirst(node(5, this.session), watch)).isFalse();
	}

	@Test
	void theNumbersOfAFolderThatMayHaveBeenRemovedMeanNothing() {
		FolderWatch watch = watch();
		this.folder.released(node(4, this.session), watch);
		this.folder.forgetWatch();
		assertThat(this.folder.isFirst(node(5, this.session), watch)).isFalse();
		FolderWatch later = watch();
		assertThat(this.folder.isFirst(node(5, this.session), watch)).isFalse();
		assertThat(this.folder.isFirst(node(5, this.session), later)).isFalse();
	}

	@Test
	void theNumbersOfAnotherSessionMeanNothing() throws Exception {
		FolderWatch watch = watch();
		ZooKeeperSession other = session();
		this.folder.released(node(4, other), watch);
		assertThat(this.folder.isFirst(node(5, this.session), watch)).isFalse();
		this.folder.released(node(4, this.session), watch);
		assertThat(this.folder.isFirst(node(5, other), watch)).isFalse();
	}

	@Test
	void aWatchThatTheServerHasNotConfirmedMeansNothing() {
		ZooKeeperSession silent = new ZooKeeperSession(this.jvm.client, mock(ZooKeeper.class), TimeSource.SYSTEM);
		this.folder.released(node(3, silent), null);
		this.folder.watchIfUseful(silent, KeyFolderTests::ignore);
		assertThat(this.folder.watch()).isNull();
	}

	@Test
	void aFolderThatDoesNotExistIsNotWatched() {
		KeyFolder missing = new KeyFolder("/distlock/missing");
		missing.released(node(3, this.session), null);
		missing.watchIfUseful(this.session, KeyFolderTests::ignore);
		this.session.sync("/").join();
		assertThat(missing.watch()).isNull();
	}

}
