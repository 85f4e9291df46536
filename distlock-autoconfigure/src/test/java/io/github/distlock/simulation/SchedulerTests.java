package io.github.distlock.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The threads, locks, timers and clocks of a simulated JVM.
 */
class SchedulerTests {

	private final List<Throwable> failures = new ArrayList<>();

	private final List<String> events = new ArrayList<>();

	private Scheduler scheduler(long seed) {
		return new Scheduler(seed, 0.3, 0.01, this.failures::add);
	}

	private List<String> threadsThatCount(long seed) {
		this.events.clear();
		Scheduler scheduler = scheduler(seed);
		SimulatedJvm jvm = new SimulatedJvm(scheduler, "A", seed, 0);
		SimulatedLock lock = new SimulatedLock(scheduler);
		int[] counter = new int[1];
		for (String name : List.of("one", "two", "three")) {
			scheduler.start(name, jvm, () -> {
				for (int i = 0; i < 20; i++) {
					lock.lock();
					int before = counter[0];
					scheduler.mayPass();
					counter[0] = before + 1;
					this.events.add(name + counter[0]);
					lock.unlock();
				}
			});
		}
		scheduler.run();
		assertThat(this.failures).isEmpty();
		assertThat(counter[0]).isEqualTo(60);
		return List.copyOf(this.events);
	}

	@Test
	void aSeedGivesOneOrderAndAnotherSeedAnother() {
		List<String> first = threadsThatCount(1);
		assertThat(threadsThatCount(1)).isEqualTo(first);
		assertThat(threadsThatCount(2)).isNotEqualTo(first);
	}

	@Test
	void aTimerFiresAfterItsTimeOnTheClockOfItsJvm() {
		Scheduler scheduler = scheduler(1);
		SimulatedJvm jvm = new SimulatedJvm(scheduler, "A", 1, -0.5);
		SimulatedExecutor timers = new SimulatedExecutor(scheduler, jvm, "timer", 1);
		scheduler.start("main", jvm, () -> {
			long start = jvm.nanoTime();
			timers.schedule(() -> {
				assertThat(jvm.nanoTime() - start).isBetween(999_000_000L, 1_001_000_000L);
				assertThat(scheduler.nanos()).isBetween(1_999_000_000L, 2_001_000_000L);
				this.events.add("fired");
			}, 1, TimeUnit.SECONDS);
		});
		scheduler.run();
		assertThat(this.failures).isEmpty();
		assertThat(this.events).containsExactly("fired");
	}

	@Test
	void anInterruptEndsAParkAndStaysSet() {
		Scheduler scheduler = scheduler(1);
		SimulatedJvm jvm = new SimulatedJvm(scheduler, "A", 1, 0);
		SimulatedThread parked = scheduler.start("parked", jvm, () -> {
			scheduler.park(Long.MAX_VALUE);
			this.events.add("interrupted " + Thread.interrupted() + " " + Thread.interrupted());
		});
		scheduler.start("other", jvm, () -> {
			scheduler.sleep(Duration.ofSeconds(1).toNanos());
			scheduler.interrupt(parked);
		});
		scheduler.run();
		assertThat(this.failures).isEmpty();
		assertThat(this.events).containsExactly("interrupted true false");
	}

	@Test
	void theThreadsOfAPausedJvmStandStill() {
		Scheduler scheduler = scheduler(1);
		SimulatedJvm jvm = new SimulatedJvm(scheduler, "A", 1, 0);
		scheduler.start("main", jvm, () -> {
			scheduler.sleep(Duration.ofMillis(10).toNanos());
			this.events.add("at " + scheduler.nanos() / 1_000_000);
		});
		jvm.paused = true;
		scheduler.after(Duration.ofSeconds(5).toNanos(), () -> jvm.paused = false);
		scheduler.run();
		assertThat(this.events).containsExactly("at 5010");
	}

	@Test
	void aThreadThatIsLeftAtTheEndUnwinds() {
		Scheduler scheduler = scheduler(1);
		SimulatedJvm jvm = new SimulatedJvm(scheduler, "A", 1, 0);
		scheduler.start("endless", jvm, () -> {
			try {
				scheduler.block(-1);
			}
			finally {
				this.events.add("unwound");
			}
		});
		scheduler.run();
		assertThat(this.events).containsExactly("unwound");
	}

}
