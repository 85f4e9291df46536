package io.github.distlock.backend.zookeeper;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockMode;
import io.github.distlock.backend.StoredLock.StoredHolder;
import io.github.distlock.backend.Ticket;
import org.apache.zookeeper.common.PathUtils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * The paths of locks in ZooKeeper, and the order of the nodes in a folder.
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

	private static final String ONE = "one:1-0000000001";

	private static final String TWO = "a-two:f9-0000000002";

	private static final String TEN = "-x-:12-0000000010";

	@Test
	void theSequenceNumbersDecideAndNotTheNamesAndMayOverflow() {
		NodeQueue numbers = NodeQueue.of(List.of(TEN, TWO, ONE));
		assertThat(numbers.predecessor(ONE)).isNull();
		assertThat(numbers.predecessor(TWO)).isEqualTo(ONE);
		assertThat(numbers.predecessor(TEN)).isEqualTo(TWO);
		String last = "one:1-2147483647";
		String first = "two:2--2147483648";
		String second = "two:3--2147483647";
		NodeQueue queue = NodeQueue.of(List.of(second, last, first));
		assertThat(queue.predecessor(last)).isNull();
		assertThat(queue.predecessor(first)).isEqualTo(last);
		assertThat(queue.predecessor(second)).isEqualTo(first);
	}

	@Test
	void aReaderWaitsForTheLastWriterBeforeItAndAWriterForAnyNode() {
		String first = "one:FR1-0000000001";
		String second = "two:R2-0000000002";
		String writer = "two:FWr-0000000003";
		String third = "one:FR4-0000000004";
		NodeQueue queue = NodeQueue.of(List.of(third, writer, first, TEN, second));
		assertThat(queue.predecessor(first)).isNull();
		assertThat(queue.predecessor(second)).isNull();
		assertThat(queue.predecessor(writer)).isEqualTo(second);
		assertThat(queue.predecessor(third)).isEqualTo(writer);
		assertThat(queue.predecessor(TEN)).isEqualTo(third);
	}

	@Test
	void theNameOfAnInstanceMayContainColonsAndHyphens() {
		String first = "order-service@host-7:4711:2k-9:FR1-0000000001";
		String second = "order-service@host-7:4711:2k-9:1-0000000002";
		NodeQueue queue = NodeQueue.of(List.of(second, TEN, first));
		assertThat(queue.predecessor(second)).isEqualTo(first);
		assertThat(queue.predecessor(TEN)).isEqualTo(second);
		assertThat(queue.firstHolder())
			.isEqualTo(new StoredHolder("order-service@host-7:4711:2k-9", LockMode.READ, null, null, 0));
	}

	@Test
	void nodesThatAreNotOfTicketsAreIgnored() {
		NodeQueue queue = NodeQueue.of(List.of("notes", "a-b", "x:y", "0000000000", "z:1-", TWO));
		assertThat(queue.predecessor(TWO)).isNull();
	}

	@Test
	void allNodesOfATicketAreFound() {
		String again = "one:1-0000000003";
		NodeQueue queue = NodeQueue.of(List.of(again, TWO, ONE, "one:11-0000000004"));
		assertThat(queue.nodesOf(Ticket.of("key", "one:1"))).containsExactly(ONE, again);
	}

}
