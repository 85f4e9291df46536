package io.github.distlock.backend.zookeeper;

import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The order of nodes.
 */
class NodeLineTests {

	private static final String ONE = "one:1-0000000001";

	private static final String TWO = "a-two:f9-0000000002";

	private static final String TEN = "-x-:12-0000000010";

	@Test
	void theServersNumbersDecideAndNotTheNames() {
		NodeLine line = new NodeLine(List.of(TEN, TWO, ONE));
		assertThat(line.before(ONE)).isNull();
		assertThat(line.before(TWO)).isEqualTo(ONE);
		assertThat(line.before(TEN)).isEqualTo(TWO);
	}

	@Test
	void theCounterOfTheServerMayOverflow() {
		String last = "one:1-2147483647";
		String first = "two:2--2147483648";
		String second = "two:3--2147483647";
		NodeLine line = new NodeLine(List.of(second, last, first));
		assertThat(line.before(last)).isNull();
		assertThat(line.before(first)).isEqualTo(last);
		assertThat(line.before(second)).isEqualTo(first);
	}

	@Test
	void aReaderWaitsForTheLastWriterBeforeItAndAWriterForAnybody() {
		String first = "one:FR1-0000000001";
		String second = "two:R2-0000000002";
		String writer = "two:FWr-0000000003";
		String third = "one:FR4-0000000004";
		NodeLine line = new NodeLine(List.of(third, writer, first, TEN, second));
		assertThat(line.before(first)).isNull();
		assertThat(line.before(second)).isNull();
		assertThat(line.before(writer)).isEqualTo(second);
		assertThat(line.before(third)).isEqualTo(writer);
		assertThat(line.before(TEN)).isEqualTo(third);
	}

	@Test
	void whatSomebodyElsePutThereIsPassedOver() {
		NodeLine line = new NodeLine(List.of("notes", "a-b", "x:y", "0000000000", "z:1-", TWO));
		assertThat(line.before(TWO)).isNull();
	}

	@Test
	void twoNodesOfOneTicketAreDoubles() {
		String again = "one:1-0000000003";
		NodeLine line = new NodeLine(List.of(again, TWO, ONE, "one:11-0000000004"));
		assertThat(line.doublesOf(again)).containsExactly(ONE);
		assertThat(line.before(again)).isEqualTo(TWO);
		assertThat(line.of("one:1-")).containsExactly(ONE, again);
	}

}
