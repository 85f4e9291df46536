package io.github.distlock.lab.records;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.LongStream;

import io.github.distlock.LockContext;
import io.github.distlock.test.FakeHeldLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabase;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * The lines of the file.
 */
class StockRecordsTests {

	private static final String START = "{\"n\":1,\"type\":\"start\",\"at\":0,\"pid\":%d}"
		.formatted(ProcessHandle.current().pid());

	private final Path folder;

	private final TestClock clock = new TestClock();

	StockRecordsTests(@TempDir Path folder) {
		this.folder = folder;
	}

	@Test
	void aSaleIsALineForItsReadAndALineForItsWrite() throws IOException {
		StockRecords records = records();
		boolean written = records.serve(57L, "setnx", () -> {
			this.clock.set(20);
			OpenSale sale = records.read("ticket", "ticket#3", 480);
			this.clock.set(30);
			return sale.write(479, 480, () -> {
				assertThat(lines()).hasSize(2);
				// The end of the sale is the time before the write.
				this.clock.set(40);
				return true;
			});
		});
		assertThat(written).isTrue();
		assertThat(lines()).containsExactly(START,
				"{\"n\":2,\"type\":\"read\",\"at\":20,\"stay\":1,\"order\":57,\"sku\":\"ticket\",\"strategy\":\"setnx\","
						+ "\"resource\":\"ticket#3\",\"arrived\":0,\"value\":480}",
				"{\"n\":3,\"type\":\"wrote\",\"at\":30,\"stay\":1,\"value\":479,\"serial\":480}");
	}

	@Test
	void anOrderWithoutANumberHasNone() {
		StockRecords records = records();
		records.serve(null, "none", () -> records.read("ticket", "ticket", 1));
		assertThat(lines().get(1)).contains("\"stay\":1,\"sku\":").contains("\"arrived\":0");
	}

	@Test
	void whatHappensAfterAnOrderIsNoPartOfIt() {
		StockRecords records = records();
		records.serve(1L, "none", () -> 0);
		records.read("ticket", "ticket", 1);
		assertThat(lines().get(1)).doesNotContain("order", "strategy", "arrived");
	}

	@Test
	void theTokenOfTheInnermostLockIsRecorded() {
		StockRecords records = records();
		try (LockContext.Scope scope = LockContext.open(FakeHeldLock.of("stock-ticket"))) {
			assertThat(scope).isNotNull();
			long token = LockContext.current().orElseThrow().fencingToken();
			records.read("ticket", "ticket", 1);
			assertThat(lines().get(1)).contains("\"token\":" + token);
		}
	}

	@Test
	void aWriteThatTheDatabaseRefusedIsRecordedAsRefused() {
		OpenSale sale = records().read("ticket", "ticket", 5);
		this.clock.set(9);
		assertThat(sale.write(4, 5, () -> false)).isFalse();
		assertThat(lines().get(2)).isEqualTo("{\"n\":3,\"type\":\"refused\",\"at\":9,\"stay\":1}");
	}

	@Test
	void aWriteThatFailsIsRecordedAsRefused() {
		OpenSale sale = records().read("ticket", "ticket", 5);
		assertThatIllegalStateException().isThrownBy(() -> sale.write(4, 5, () -> {
			throw new IllegalStateException("away");
		}));
		assertThat(lines().get(2)).contains("\"type\":\"refused\"");
	}

	@Test
	void insideATransactionTheEndIsRecordedWhenTheTransactionHasEnded() {
		EmbeddedDatabase database = new EmbeddedDatabaseBuilder().generateUniqueName(true)
			.setType(EmbeddedDatabaseType.H2)
			.build();
		try {
			TransactionTemplate transaction = new TransactionTemplate(new DataSourceTransactionManager(database));
			JdbcClient jdbc = JdbcClient.create(database);
			jdbc.sql("CREATE TABLE stock (sku VARCHAR(64), quantity BIGINT)").update();
			StockRecords records = records();
			for (boolean rollback : List.of(false, true)) {
				transaction.executeWithoutResult((status) -> {
					OpenSale sale = records.read("ticket", "ticket", 5);
					int before = lines().size();
					sale.write(4, 5,
							() -> jdbc.sql("INSERT INTO stock (sku, quantity) VALUES ('ticket', 4)").update() == 1);
					assertThat(lines()).hasSize(before);
					if (rollback) {
						status.setRollbackOnly();
					}
					else {
						jdbc.sql("DELETE FROM stock").update();
					}
				});
			}
			assertThat(lines().get(2)).contains("\"type\":\"wrote\"");
			assertThat(lines().get(4)).contains("\"type\":\"refused\"");
		}
		finally {
			database.shutdown();
		}
	}

	@Test
	void theNextProcessAppendsAndGivesItsSalesNewNumbers() throws IOException {
		StockRecords before = records();
		before.read("ticket", "ticket", 5);
		before.read("ticket", "ticket", 5);
		StockRecords after = records();
		after.read("ticket", "ticket", 5);
		assertThat(lines()).hasSize(5).element(3).isEqualTo(START);
		assertThat(lines().get(4)).contains("\"n\":2").contains("\"stay\":4");
	}

	@Test
	void anIncompleteLastLineOfAKilledProcessDoesNotSpoilTheNext() throws IOException {
		Files.writeString(file(), START + "\n{\"n\":2,\"type\":\"re");
		records();
		assertThat(lines()).containsExactly(START, "{\"n\":2,\"type\":\"re", START);
	}

	@Test
	void linesOfManyThreadsAreWholeAndNumberedWithoutAGap() throws Exception {
		StockRecords records = records();
		ExecutorService threads = Executors.newFixedThreadPool(8);
		try {
			List<Future<?>> all = new ArrayList<>();
			for (int thread = 0; thread < 8; thread++) {
				all.add(threads.submit(() -> {
					for (int sale = 0; sale < 200; sale++) {
						records.read("ticket", "ticket", sale).write(sale - 1L, sale, () -> true);
					}
				}));
			}
			for (Future<?> thread : all) {
				thread.get();
			}
		}
		finally {
			threads.shutdownNow();
		}
		JsonMapper json = JsonMapper.builder().build();
		assertThat(lines()).hasSize(1 + 2 * 8 * 200)
			.extracting((line) -> json.readTree(line).path("n").asLong())
			.containsExactlyElementsOf(LongStream.rangeClosed(1, 1 + 2 * 8 * 200).boxed().toList());
	}

	@Test
	void anInterruptedThreadRecordsLikeAnyOther() {
		StockRecords records = records();
		Thread.currentThread().interrupt();
		records.read("ticket", "ticket", 1);
		assertThat(Thread.interrupted()).isTrue();
		records.read("ticket", "ticket", 1);
		assertThat(lines()).hasSize(3);
	}

	@Test
	void withoutAFileNothingIsRecordedAndTheWorkIsDone() {
		StockRecords records = new StockRecords(null, this.clock);
		assertThat(records.serve(1L, "none", () -> records.read("ticket", "ticket", 1).write(0, 1, () -> true)))
			.isTrue();
		assertThat(records.read("ticket", "ticket", 1).write(0, 1, () -> false)).isFalse();
		assertThat(this.folder).isEmptyDirectory();
	}

	@Test
	void aFileThatCannotBeWrittenIsNamedWithItsProperty() {
		assertThatExceptionOfType(UncheckedIOException.class)
			.isThrownBy(() -> new StockRecords(this.folder, this.clock))
			.withMessageContaining("'%s', which sample.node.records names", this.folder);
	}

	private StockRecords records() {
		return new StockRecords(file(), this.clock);
	}

	private Path file() {
		return this.folder.resolve("inventory-1.records.jsonl");
	}

	private List<String> lines() {
		try {
			return Files.readAllLines(file());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
