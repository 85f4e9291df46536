package io.github.distlock.registry;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import io.github.distlock.HeldLock;
import io.github.distlock.LockRequest;
import io.github.distlock.thread.LockThreads;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Callers on virtual threads.
 */
@EnabledForJreRange(min = JRE.JAVA_24, disabledReason = "Before Java 24 virtual threads pin in monitors")
class VirtualThreadTests extends TwoRegistries {

	private static final LockRequest HOT = LockRequest.of("hot").waitTime(LockRequest.FOREVER);

	@TempDir
	private Path directory;

	@Test
	void tenThousandThreadsAcquireOneLockOneAfterTheOther() throws Exception {
		enterOneAfterTheOther(10_000, List.of(this.one));
	}

	@Test
	void noThreadPinsItsCarrier() throws Throwable {
		// A class that is loaded for the first time may pin the thread that needs it.
		enterOneAfterTheOther(100, List.of(this.one, this.two));
		assertThat(pinnedWhile(() -> enterOneAfterTheOther(1000, List.of(this.one, this.two)))).isEmpty();
	}

	@Test
	void aThreadThatPinsItsCarrierIsDetected() throws Throwable {
		assertThat(pinnedWhile(() -> start("pinned", () -> assertThat(Parking.PINNED).isTrue()).join())).isNotEmpty();
	}

	private static Thread start(String name, Runnable task) {
		Thread thread = LockThreads.named(name).virtual().newThread(task);
		thread.start();
		return thread;
	}

	private void enterOneAfterTheOther(int number, List<BackendLockRegistry> registries) throws Exception {
		AtomicInteger inside = new AtomicInteger();
		Queue<Long> tokens = new ConcurrentLinkedQueue<>();
		Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
		List<Thread> threads = new ArrayList<>(number);
		HeldLock first = registries.get(0).acquire(HOT);
		for (int i = 0; i < number; i++) {
			BackendLockRegistry registry = registries.get(i % registries.size());
			threads.add(start("waiter-" + i, () -> {
				try (HeldLock lock = registry.acquire(HOT)) {
					if (inside.incrementAndGet() != 1) {
						failures.add(new AssertionError("two are inside"));
					}
					tokens.add(lock.fencingToken());
					inside.decrementAndGet();
				}
				catch (Throwable ex) {
					failures.add(ex);
				}
			}));
		}
		if (registries.size() == 1) {
			await().atMost(Duration.ofSeconds(60)).until(() -> this.events.waiting.get() == number);
		}
		first.close();
		for (Thread thread : threads) {
			assertThat(join(thread)).isTrue();
		}
		assertThat(failures).isEmpty();
		assertThat(List.copyOf(tokens)).hasSize(number).isSorted().doesNotHaveDuplicates();
		for (BackendLockRegistry registry : registries) {
			await().until(() -> registry.snapshot().isIdle());
		}
	}

	private static boolean join(Thread thread) throws InterruptedException {
		thread.join(TimeUnit.SECONDS.toMillis(60));
		return !thread.isAlive();
	}

	private List<RecordedEvent> pinnedWhile(Executable action) throws Throwable {
		Path file = this.directory.resolve("pinned.jfr");
		try (Recording recording = new Recording()) {
			recording.enable("jdk.VirtualThreadPinned").withoutThreshold().withStackTrace();
			recording.start();
			action.execute();
			recording.stop();
			recording.dump(file);
		}
		return RecordingFile.readAllEvents(file);
	}

	/** Its initializer parks, which still pins a virtual thread. */
	private static final class Parking {

		private static final boolean PINNED = park();

		private static boolean park() {
			LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
			return true;
		}

	}

}
