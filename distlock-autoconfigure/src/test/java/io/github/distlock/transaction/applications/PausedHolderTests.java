package io.github.distlock.transaction.applications;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import io.github.distlock.LockListener;
import io.github.distlock.LockLostException;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.dao.OptimisticLockingFailureException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Holders that pause for longer than their leases while the next holder works, in
 * applications with a transaction manager of their own.
 */
class PausedHolderTests {

	private static final AtomicReference<Runnable> ON_RELEASE = new AtomicReference<>();

	@AutoClose
	private static final Shops shops = new Shops();

	private static final ConfigurableApplicationContext jdbc = shops
		.open(List.of(JdbcApplication.class, PausedCommits.class, Listening.class));

	private static final ConfigurableApplicationContext jpa = shops
		.open(List.of(JpaApplication.class, Listening.class));

	private static final ConfigurableApplicationContext unguarded = shops.open(List.of(JdbcApplication.class),
			"--distlock.transaction.commit-guard=false");

	/** The application of the next holder. */
	private static final Till next = jdbc.getBean(JdbcTill.class);

	@BeforeEach
	void restock() {
		shops.restock();
		ON_RELEASE.set(() -> {
		});
	}

	private static ConfigurableApplicationContext application(String name) {
		return name.equals("jpa") ? jpa : jdbc;
	}

	private static Sale pausedUntilTheNextHasSold(Till next) {
		return Sale.of(1).whenRead(() -> {
			Shops.outliveTheLease();
			Shops.elsewhere(() -> next.sell(Sale.of(2))).join();
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "jdbc", "jpa" })
	void theWorkOfAPausedHolderIsRolledBack(String name) {
		Till till = application(name).getBean("till", Till.class);
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> till.sellBriefly(pausedUntilTheNextHasSold(next)))
			.withMessageContaining("The transaction is rolled back");
		assertThat(shops.stock()).isEqualTo(8);
	}

	@Test
	void withoutTheGuardAPausedHolderOverwritesTheWorkOfTheNextOne() {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> unguarded.getBean(JdbcTill.class).sellBriefly(pausedUntilTheNextHasSold(next)));
		assertThat(shops.stock()).isEqualTo(9);
	}

	@ParameterizedTest
	@ValueSource(strings = { "jdbc", "jpa" })
	void theTransactionHasCommittedWhenTheLockIsReleased(String name) {
		AtomicReference<Integer> seen = new AtomicReference<>();
		ON_RELEASE.set(() -> seen.set(shops.stock()));
		application(name).getBean("till", Till.class).sell(Sale.of(1));
		assertThat(seen).hasValue(9);
	}

	@Test
	void aHolderThatIsPausedInItsCommitLosesItsSaleOrThatOfTheNextHolder() {
		CountDownLatch read = new CountDownLatch(1);
		AtomicReference<CompletableFuture<Void>> later = new AtomicReference<>();
		jdbc.getBean(PausedCommits.class).beforeNext(() -> {
			Shops.outliveTheLease();
			later.set(Shops
				.elsewhere(() -> unguarded.getBean(JdbcTill.class).sell(Sale.of(2).whenRead(read::countDown))));
			await(read);
		});
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> jdbc.getBean(JdbcTill.class).sellBriefly(Sale.of(1)))
			.withMessageNotContaining("rolled back");
		later.get().join();
		// Three books are sold, but the next holder has read before the commit arrives.
		assertThat(shops.stock()).isEqualTo(8);
	}

	@Test
	void withFencingTheNextHolderWaitsForTheRowOfAPausedCommit() {
		CountDownLatch entered = new CountDownLatch(1);
		AtomicReference<CompletableFuture<Void>> later = new AtomicReference<>();
		jdbc.getBean(PausedCommits.class).beforeNext(() -> {
			Shops.outliveTheLease();
			later.set(Shops
				.elsewhere(() -> unguarded.getBean(FencedTill.class).sell(Sale.of(2).whenEntered(entered::countDown))));
			await(entered);
		});
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> jdbc.getBean(FencedTill.class).sellBriefly(Sale.of(1)));
		later.get().join();
		assertThat(shops.stock()).isEqualTo(7);
	}

	@Test
	void withFencingALateHolderIsRefusedEvenWithoutTheGuard() {
		Sale lateSale = Sale.of(1).whenEntered(() -> {
			Shops.outliveTheLease();
			Shops.elsewhere(() -> jdbc.getBean(FencedTill.class).sell(Sale.of(2))).join();
		});
		assertThatExceptionOfType(OptimisticLockingFailureException.class)
			.isThrownBy(() -> unguarded.getBean(FencedTill.class).sellBriefly(lateSale));
		assertThat(shops.stock()).isEqualTo(8);
	}

	private static void await(CountDownLatch latch) {
		try {
			assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	static class Listening implements LockListener {

		@Override
		public void onReleased(Released event) {
			ON_RELEASE.get().run();
		}

	}

}
