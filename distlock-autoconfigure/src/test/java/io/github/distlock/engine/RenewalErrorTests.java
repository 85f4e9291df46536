package io.github.distlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;

import io.github.distlock.engine.Hold.ReleaseOutcome;
import io.github.distlock.environment.EngineEnvironment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static io.github.distlock.testing.FlushedLog.flushed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * After an {@link Error} or a rejected task at any step of a renewal, the leases are
 * renewed again before they expire.
 */
@ExtendWith(OutputCaptureExtension.class)
class RenewalErrorTests extends RenewalFixture {

	private static final Duration LEASE = Duration.ofSeconds(6);

	private int errorsOfExecutor;

	private int rejections;

	private int errorsOfStore;

	/** Tasks that the executor rejects, and runs nevertheless. */
	private final List<Runnable> late = new ArrayList<>();

	private boolean rejectsAndKeeps;

	private int errorsOfReport;

	/** Runs while a loss is reported, as another thread would. */
	private Consumer<Hold> whileReported = (hold) -> {
	};

	@Override
	void execute(Runnable task) {
		if (this.rejectsAndKeeps) {
			this.rejectsAndKeeps = false;
			this.late.add(task);
			throw new InternalError("injected after the task was added");
		}
		if (this.rejections > 0) {
			this.rejections--;
			throw new RejectedExecutionException("injected at the executor");
		}
		if (this.errorsOfExecutor > 0) {
			this.errorsOfExecutor--;
			throw new InternalError("injected at the executor");
		}
		task.run();
	}

	@Override
	void lost(Hold hold) {
		if (this.errorsOfReport > 0) {
			this.errorsOfReport--;
			this.whileReported.accept(hold);
			throw new OutOfMemoryError("injected at the report");
		}
		super.lost(hold);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void aLossIsReportedOnceAlthoughItsFirstReportsFail(boolean refused) {
		watch(2);
		this.store.gone = refused;
		this.store.failing = !refused;
		this.errorsOfReport = 3;
		this.timers.pass(LEASE.multipliedBy(2));
		assertThat(this.errorsOfReport).isZero();
		assertThat(this.lost).hasSize(2).doesNotHaveDuplicates();
		assertThat(this.renewer.size()).isZero();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void aLossWhoseReportFailsIsReportedAlthoughAnotherThreadMetItMeanwhile(boolean closed) {
		Hold hold = watch(1).get(0);
		this.clock.pass(LEASE);
		this.whileReported = closed ? this.heldLocks::drop : (lost) -> this.timers.pass(LEASE);
		this.errorsOfReport = 1;
		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(hold::checkExpired);
		assertThat(this.lost).isEmpty();
		this.timers.pass(LEASE);
		assertThat(this.lost).hasSize(1);
		assertThat(this.renewer.size()).isZero();
	}

	@ParameterizedTest
	@EnumSource(value = ReleaseOutcome.class, names = { "GONE", "UNANSWERED" })
	void theFutureOfAReleaseFailsWithTheErrorThatPreventsItsReport(ReleaseOutcome outcome) {
		Hold hold = watch(1).get(0);
		CompletableFuture<Void> closed = new CompletableFuture<>();
		hold.endLease();
		this.clock.error = new OutOfMemoryError("injected at the clock");
		this.heldLocks.answered(hold, outcome, closed);
		assertThat(closed).failsWithin(Duration.ZERO)
			.withThrowableThat()
			.havingRootCause()
			.isInstanceOf(OutOfMemoryError.class);
	}

	@ParameterizedTest
	@ValueSource(strings = { "thread", "executor", "store", "timer" })
	void aLeaseIsRenewedAgainAfterErrorsOfThe(String part) {
		List<Hold> holds = watch(1);
		switch (part) {
			case "thread" -> this.errorsOfExecutor = 3;
			case "executor" -> this.rejections = 3;
			case "store" -> this.errorsOfStore = 3;
			default -> this.timers.errors = 2;
		}
		this.store.meanwhile = () -> {
			if (this.errorsOfStore > 0) {
				this.errorsOfStore--;
				throw new StackOverflowError("injected at the store");
			}
		};
		assertRenewed(holds);
		assertThat(List.of(this.errorsOfExecutor, this.rejections, this.errorsOfStore, this.timers.errors))
			.containsOnly(0);
	}

	@Test
	void aTaskThatTheExecutorRejectsAndRunsNeverthelessChangesNothing(CapturedOutput output) {
		List<Hold> holds = watch(2);
		this.rejectsAndKeeps = true;
		this.timers.pass(LEASE.dividedBy(2));
		assertThat(this.late).hasSize(1);
		this.late.get(0).run();
		assertThat(flushed(output)).doesNotContain("could not be handled");
		assertRenewed(holds);
	}

	@Test
	void aLeaseIsRenewedAgainWhenNoThreadHandlesItsAnswer() {
		List<Hold> holds = watch(1);
		this.store.withholding = true;
		this.timers.pass(LEASE.dividedBy(2));
		this.store.withholding = false;
		this.errorsOfExecutor = 1;
		this.store.answer(0);
		assertThat(this.errorsOfExecutor).isZero();
		assertRenewed(holds);
	}

	@Test
	void aCallbackForWhichNoThreadStartsRunsWhenOneDoes() {
		int[] errors = { 3 };
		TaskRunner tasks = tasks((task) -> {
			if (errors[0]-- > 0) {
				throw new OutOfMemoryError("injected at the thread");
			}
			task.run();
		});
		this.timers.errors = 100;
		List<String> runs = new ArrayList<>();
		tasks.callBack(() -> runs.add("first"));
		tasks.callBack(() -> runs.add("second"));
		for (int i = 0; i < 3; i++) {
			passAMomentOfErrors();
		}
		assertThat(runs).containsExactly("first", "second");
	}

	@Test
	void aCallbackThatAnExecutorQueuesAlthoughItThrowsRunsOnce() {
		TaskRunner tasks = tasks((task) -> {
			task.run();
			throw new OutOfMemoryError("injected after the task was queued");
		});
		List<String> runs = new ArrayList<>();
		tasks.callBack(() -> runs.add("first"));
		passAMomentOfErrors();
		passAMomentOfErrors();
		assertThat(runs).containsExactly("first");
	}

	private TaskRunner tasks(Executor executor) {
		TaskRunner tasks = new TaskRunner(RenewalFixture.threads(executor, this.timers),
				EngineEnvironment.of(this.clock));
		tasks.sweep(() -> {
		});
		return tasks;
	}

	/** What a repeated task throws ends nothing. */
	private void passAMomentOfErrors() {
		try {
			this.timers.pass(Duration.ofSeconds(2));
		}
		catch (OutOfMemoryError ex) {
			// As the timer thread does.
		}
	}

	@Test
	void allBatchesOfARoundAreSentAgain() {
		List<Hold> holds = watch(250);
		this.errorsOfExecutor = 2;
		assertRenewed(holds);
	}

	/** Longer than several leases, so that each has been renewed. */
	private void assertRenewed(List<Hold> holds) {
		this.timers.pass(LEASE.multipliedBy(4));
		assertThat(this.lost).isEmpty();
		assertThat(holds).allSatisfy((hold) -> assertThat(hold.isValid()).isTrue());
		assertThat(this.store.batches.size()).isGreaterThan(3);
	}

	private List<Hold> watch(int count) {
		List<Hold> holds = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			holds.add(watch("k" + i, LEASE, watched(LEASE)));
		}
		return holds;
	}

}
