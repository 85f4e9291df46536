package io.github.distlock.lab.page;

import java.util.List;

import io.github.distlock.lab.page.RecordedSale.State;
import io.github.distlock.lab.records.NodeRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the records of the nodes say about a trial.
 */
class RecordedSalesTests {

	private final RecordedSales sales = new RecordedSales("ticket");

	@BeforeEach
	void begin() {
		this.sales.begin(0, "setnx");
	}

	@Test
	void aSaleIsOpenUntilItsEndIsRecorded() {
		add("one", read(7, "ticket", "setnx"));
		assertThat(this.sales.changes()).singleElement()
			.isEqualTo(new RecordedSale("one", 7, 5L, "ticket", 90, 100, 20, 3L, null, List.of(), null, null, null,
					State.OPEN));
		add("one", end("wrote", 110, 7));
		assertThat(this.sales.changes()).singleElement()
			.isEqualTo(new RecordedSale("one", 7, 5L, "ticket", 90, 100, 20, 3L, null, List.of(), 110L, 19L, 20L,
					State.WROTE));
		assertThat(this.sales.changes()).isEmpty();
	}

	@Test
	void aRefusedWriteEndsASaleWithoutAValue() {
		add("one", read(7, "ticket", "setnx"));
		add("one", end("refused", 110, 7));
		assertThat(this.sales.changes()).singleElement().satisfies((sale) -> {
			assertThat(sale.state()).isEqualTo(State.REFUSED);
			assertThat(sale.written()).isNull();
		});
	}

	@Test
	void otherArticlesAndStrategiesAreLeftOut() {
		add("one", read(7, "warm-up", "setnx"));
		add("one", read(8, "ticket", "redis"));
		add("one", end("wrote", 110, 7));
		this.sales.end();
		add("one", read(9, "ticket", "setnx"));
		assertThat(this.sales.changes()).isEmpty();
	}

	@Test
	void aCrashEndsTheOpenSalesOfItsNodeOnly() {
		add("one", read(7, "ticket", "setnx"));
		add("two", read(7, "ticket", "setnx"));
		add("two", read(8, "ticket", "setnx"));
		add("two", end("wrote", 110, 8));
		add("two", fault("fault", 120, "crash", null));
		assertThat(this.sales.all())
			.extracting(RecordedSale::node, RecordedSale::number, RecordedSale::state, RecordedSale::end)
			.containsExactly(org.assertj.core.groups.Tuple.tuple("one", 7L, State.OPEN, null),
					org.assertj.core.groups.Tuple.tuple("two", 7L, State.CRASHED, 120L),
					org.assertj.core.groups.Tuple.tuple("two", 8L, State.WROTE, 110L));
		assertThat(this.sales.faults()).containsExactly(new LabEvent.Fault(0, "two", "crash", 120, null));
		add("two", fault("start", 200, null, null));
		assertThat(this.sales.faults()).containsExactly(new LabEvent.Fault(0, "two", "crash", 120, 200L));
	}

	@Test
	void aSlowHolderHasAnEndAndAWrongClockGetsOne() {
		add("two", fault("fault", 120, "slow", 300L));
		add("two", fault("fault", 130, "clock", null));
		add("two", fault("fault-end", 150, "clock", null));
		assertThat(this.sales.faults()).containsExactly(new LabEvent.Fault(0, "two", "slow", 120, 300L),
				new LabEvent.Fault(0, "two", "clock", 130, null), new LabEvent.Fault(0, "two", "clock", 130, 150L));
	}

	@Test
	void aRenewalMovesTheEndOfTheLeaseOfAnOpenSale() {
		add("one", read(7, "ticket", "setnx"));
		add("one", renewed(105, 2105));
		add("one", end("wrote", 110, 7));
		add("one", renewed(115, 2115));
		assertThat(this.sales.all()).singleElement()
			.extracting(RecordedSale::renewals)
			.isEqualTo(List.of(new RecordedSale.Renewal(105, 2105)));
	}

	@Test
	void theQueueOfANodeIsEmptyWhenItStartsAgain() {
		add("one", queue(100, 1));
		add("one", queue(110, 2));
		add("one", fault("start", 200, null, null));
		assertThat(this.sales.queues()).containsExactly(new LabEvent.Queue("one", 100, 1),
				new LabEvent.Queue("one", 110, 2), new LabEvent.Queue("one", 200, 0));
		assertThat(this.sales.queues()).isEmpty();
		this.sales.end();
		add("one", queue(210, 1));
		assertThat(this.sales.queues()).isEmpty();
	}

	private void add(String node, NodeRecord next) {
		this.sales.add(node, next);
	}

	private static NodeRecord read(long sale, String sku, String strategy) {
		return new NodeRecord(2, "read", 100, sale, 5L, sku, strategy, sku, 90L, 20L, 3L, null, null, null, null, null);
	}

	private static NodeRecord renewed(long at, long lease) {
		return new NodeRecord(3, "renewed", at, 7L, null, null, null, null, null, null, null, null, null, null, lease,
				null);
	}

	private static NodeRecord queue(long at, int waiting) {
		return new NodeRecord(3, "queue", at, null, null, null, null, null, null, null, null, null, null, null, null,
				waiting);
	}

	private static NodeRecord end(String type, long at, long sale) {
		return new NodeRecord(3, type, at, sale, null, null, null, null, null, 19L, null, 20L, null, null, null, null);
	}

	private static NodeRecord fault(String type, long at, @Nullable String fault, @Nullable Long until) {
		return new NodeRecord(4, type, at, null, null, null, null, null, null, null, null, null, fault, until, null,
				null);
	}

}
