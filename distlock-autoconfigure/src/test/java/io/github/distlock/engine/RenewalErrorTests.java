package io.github.distlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

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

	@Test
	void aLeaseIsRenewedAgainWhenNoThreadCouldBeStarted() {
		this.errorsOfExecutor = 3;
		assertRenewedAgain();
	}

	@Test
	void aLeaseIsRenewedAgainWhenTheExecutorHasRejectedIt() {
		this.rejections = 3;
		assertRenewedAgain();
	}

	@Test
	void aTaskThatTheExecutorRejectsAndRunsNeverthelessChangesNothing(CapturedOutput output) {
		List<Hold> holds = watch(2);
		this.rejectsAndKeeps = true;
		this.timers.pass(LEASE.dividedBy(2));
		assertThat(this.late).hasSize(1);
		this.late.get(0).run();
		assertThat(output).doesNotContain("could not be handled");
		assertRenewed(holds);
	}

	@Test
	void aLeaseIsRenewedAgainWhenTheStoreHasThrownAnError() {
		this.errorsOfStore = 3;
		this.store.meanwhile = () -> {
			if (this.errorsOfStore > 0) {
				this.errorsOfStore--;
				throw new StackOverflowError("injected at the store");
			}
		};
		assertRenewedAgain();
	}

	@Test
	void aLeaseIsRenewedAgainWhenATimerCouldNotBeSet() {
		List<Hold> holds = watch(1);
		this.timers.errors = 2;
		assertRenewed(holds);
	}

	@Test
	void allBatchesOfARoundAreSentAgain() {
		List<Hold> holds = watch(250);
		this.errorsOfExecutor = 2;
		assertRenewed(holds);
	}

	private void assertRenewedAgain() {
		assertRenewed(watch(1));
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
