package io.github.distlock.sample.lab.page;

import io.github.distlock.sample.lab.page.Stay.State;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the records of the nodes say about a trial.
 */
class StaysTests {

	private final Stays stays = new Stays("ticket");

	@BeforeEach
	void begin() {
		this.stays.begin(0, "setnx");
	}

	@Test
	void aStayIsOpenUntilItsEndIsRecorded() {
		add("one", read(7, "ticket", "setnx"));
		assertThat(this.stays.changes()).singleElement()
			.isEqualTo(
					new Stay("one", 7, 5L, "ticket", 90, 100, 20, 3L, null, List.of(), null, null, null, State.OPEN));
		add("one", end("wrote", 110, 7));
		assertThat(this.stays.changes()).singleElement()
			.isEqualTo(new Stay("one", 7, 5L, "ticket", 90, 100, 20, 3L, null, List.of(), 110L, 19L, 20L, State.WROTE));
		assertThat(this.stays.changes()).isEmpty();
	}

	@Test
	void aRefusedWriteEndsAStayWithoutAValue() {
		add("one", read(7, "ticket", "setnx"));
		add("one", end("refused", 110, 7));
		assertThat(this.stays.changes()).singleElement().satisfies((stay) -> {
			assertThat(stay.state()).isEqualTo(State.REFUSED);
			assertThat(stay.written()).isNull();
		});
	}

	@Test
	void otherArticlesAndStrategiesAreLeftOut() {
		add("one", read(7, "warm-up", "setnx"));
		add("one", read(8, "ticket", "redis"));
		add("one", end("wrote", 110, 7));
		this.stays.end();
		add("one", read(9, "ticket", "setnx"));
		assertThat(this.stays.changes()).isEmpty();
	}

	@Test
	void aCrashEndsTheOpenStaysOfItsNodeOnly() {
		add("one", read(7, "ticket", "setnx"));
		add("two", read(7, "ticket", "setnx"));
		add("two", read(8, "ticket", "setnx"));
		add("two", end("wrote", 110, 8));
		add("two", fault("fault", 120, "crash", null));
		assertThat(this.stays.all()).extracting(Stay::node, Stay::stay, Stay::state, Stay::end)
			.containsExactly(org.assertj.core.groups.Tuple.tuple("one", 7L, State.OPEN, null),
					org.assertj.core.groups.Tuple.tuple("two", 7L, State.CRASHED, 120L),
					org.assertj.core.groups.Tuple.tuple("two", 8L, State.WROTE, 110L));
		assertThat(this.stays.faults()).containsExactly(new LabEvent.Fault(0, "two", "crash", 120, null));
		add("two", fault("start", 200, null, null));
		assertThat(this.stays.faults()).containsExactly(new LabEvent.Fault(0, "two", "crash", 120, 200L));
	}

	@Test
	void aSlowHolderHasAnEndAndAWrongClockGetsOne() {
		add("two", fault("fault", 120, "slow", 300L));
		add("two", fault("fault", 130, "clock", null));
		add("two", fault("fault-end", 150, "clock", null));
		assertThat(this.stays.faults()).containsExactly(new LabEvent.Fault(0, "two", "slow", 120, 300L),
				new LabEvent.Fault(0, "two", "clock", 130, null), new LabEvent.Fault(0, "two", "clock", 130, 150L));
	}

	@Test
	void aRenewalMovesTheEndOfTheLeaseOfAnOpenStay() {
		add("one", read(7, "ticket", "setnx"));
		add("one", renewed(105, 2105));
		add("one", end("wrote", 110, 7));
		add("one", renewed(115, 2115));
		assertThat(this.stays.all()).singleElement()
			.extracting(Stay::renewals)
			.isEqualTo(List.of(new Stay.Renewal(105, 2105)));
	}

	@Test
	void theQueueOfANodeIsEmptyWhenItStartsAgain() {
		add("one", queue(100, 1));
		add("one", queue(110, 2));
		add("one", fault("start", 200, null, null));
		assertThat(this.stays.queues()).containsExactly(new LabEvent.Queue("one", 100, 1),
				new LabEvent.Queue("one", 110, 2), new LabEvent.Queue("one", 200, 0));
		assertThat(this.stays.queues()).isEmpty();
		this.stays.end();
		add("one", queue(210, 1));
		assertThat(this.stays.queues()).isEmpty();
	}

	private void add(String node, NodeRecord next) {
		this.stays.add(node, next);
	}

	private static NodeRecord read(long stay, String sku, String strategy) {
		return new NodeRecord(2, "read", 100, stay, 5L, sku, strategy, sku, 90L, 20L, 3L, null, null, null, null, null);
	}

	private static NodeRecord renewed(long at, long lease) {
		return new NodeRecord(3, "renewed", at, 7L, null, null, null, null, null, null, null, null, null, null, lease,
				null);
	}

	private static NodeRecord queue(long at, int waiting) {
		return new NodeRecord(3, "queue", at, null, null, null, null, null, null, null, null, null, null, null, null,
				waiting);
	}

	private static NodeRecord end(String type, long at, long stay) {
		return new NodeRecord(3, type, at, stay, null, null, null, null, null, 19L, null, 20L, null, null, null, null);
	}

	private static NodeRecord fault(String type, long at, @Nullable String fault, @Nullable Long until) {
		return new NodeRecord(4, type, at, null, null, null, null, null, null, null, null, null, fault, until, null,
				null);
	}

}
