package io.github.distlock.backend.zookeeper;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockMode;
import io.github.distlock.backend.Ticket;
import org.apache.zookeeper.common.PathUtils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * The paths of locks in ZooKeeper.
 */
class LockPathsTests {

	private static final List<String> KEYS = List.of(".", "..", "...", "a", "A", "a.b", "a%2Eb", "a%2eb", "%2E", "a/b",
			"a%2Fb", "a:b", "a b", "a\tb", "a\nb", "\u0000", "\u0001", "\u007f", "\u0080", "\ufffd", "\uf8ff", "\ufff0",
			"\ue000", "zookeeper", "\u00e9", "e\u0301", "\u0436\u4e2d\ud83d\ude00", "a-0000000001", "-", "_", "~");

	private final LockPaths paths = new LockPaths("/distlock");

	@Test
	void eachKeyHasAFolderOfItsOwnThatZooKeeperAccepts() {
		Set<String> folders = new HashSet<>();
		for (String key : KEYS) {
			String folder = this.paths.folder(key);
			assertThatNoException().as(key).isThrownBy(() -> PathUtils.validatePath(folder));
			assertThat(folders.add(folder)).as(folder).isTrue();
			assertThat(folder.substring("/distlock/".length())).matches("[A-Za-z0-9_%-]+");
		}
	}

	@Test
	void theLongestKeyHasAFolderOfThreeTimesItsBytes() {
		assertThat(this.paths.folder("/".repeat(512))).hasSize("/distlock/".length() + 3 * 512);
	}

	@Test
	void noKeyHasThePathOfAProbe() {
		assertThat(this.paths.folder("%probe-x")).startsWith("/distlock/%25");
	}

	@Test
	void aNodeIsNamedByItsTicket() {
		Ticket ticket = new Ticket("key", LockMode.EXCLUSIVE, "in-st_1", 7, true);
		assertThat(LockPaths.nodePrefix(ticket)).isEqualTo(ticket.token() + "-");
	}

	@ParameterizedTest
	@ValueSource(strings = { "distlock", "/", "", "/a/", "/a//b", "/a/../b", "/zookeeper", "/zookeeper/locks" })
	void aRootThatZooKeeperRefusesIsRefusedWithItsName(String root) {
		assertThatExceptionOfType(LockDefinitionException.class)
			.isThrownBy(() -> new ZooKeeperBackendSettings(root, java.time.Duration.ofSeconds(2), 17))
			.withMessageContaining("distlock.zookeeper.root")
			.withMessageContaining("'" + root + "'");
	}

}
