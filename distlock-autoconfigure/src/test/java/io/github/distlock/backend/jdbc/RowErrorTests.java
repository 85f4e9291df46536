package io.github.distlock.backend.jdbc;

import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import com.zaxxer.hikari.HikariDataSource;
import io.github.distlock.LockBackendException;
import io.github.distlock.LockMode;
import io.github.distlock.backend.AttemptOptions;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockSignals;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.StoreContext;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.jdbc.JdbcBackendSettings.TableNames;
import io.github.distlock.contract.Answers;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/**
 * An {@link Error} while a lock of the mode {@code row} is granted.
 */
class RowErrorTests implements LockSignals {

	private static final Duration SOON = Duration.ofSeconds(30);

	private final String key = "error-" + UUID.randomUUID();

	private final CountDownLatch granted = new CountDownLatch(1);

	@Test
	void anErrorAtAGrantFreesTheRowAndItsConnectionOnce() throws Exception {
		JdbcBackendSettings settings = new JdbcBackendSettings("distlock:", Duration.ofSeconds(2),
				Duration.ofMillis(100), 17, 3, 1, true, TableNames.DEFAULT);
		try (HikariDataSource pool = TestDatabase.postgres().pool(8); JdbcNode other = JdbcNode.row(pool)) {
			LockStore store = new JdbcRowBackend(pool, settings, TimeSource.SYSTEM)
				.open(new StoreContext("error", this));
			Ticket held = other.ticket(this.key);
			other.take(held);
			assertThat(Answers.of(store.attempt(ticket(1, ""), JdbcNode.LEASE, AttemptOptions.queue(true))))
				.isInstanceOf(AttemptResult.Queued.class);
			assertThat(other.release(held)).isTrue();
			assertThat(this.granted.await(SOON.toSeconds(), TimeUnit.SECONDS)).isTrue();
			await().atMost(SOON).until(() -> other.attemptOnce(this.key) instanceof AttemptResult.Granted);
			await().atMost(SOON)
				.ignoreExceptions()
				.until(() -> Answers.of(store.attempt(ticket(2, "first"), JdbcNode.LEASE,
						AttemptOptions.queue(false))) instanceof AttemptResult.Granted);
			assertThatThrownBy(
					() -> Answers.of(store.attempt(ticket(3, "second"), JdbcNode.LEASE, AttemptOptions.queue(false))))
				.isInstanceOf(LockBackendException.class)
				.hasMessageContaining("all 1 connections");
			store.close();
		}
	}

	private Ticket ticket(long number, String ending) {
		return new Ticket(this.key + ending, LockMode.EXCLUSIVE, "error", number, false);
	}

	@Override
	public void granted(Ticket ticket, Grant grant) {
		this.granted.countDown();
		throw new AssertionError("out of memory");
	}

	@Override
	public void retry(Ticket ticket) {
	}

	@Override
	public void retryAll() {
	}

	@Override
	public void renewNow(Ticket ticket) {
	}

}
