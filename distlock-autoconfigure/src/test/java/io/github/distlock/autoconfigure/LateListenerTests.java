package io.github.distlock.autoconfigure;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.distlock.HeldLock;
import io.github.distlock.LockListener;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Listeners that depend on beans which use locks.
 */
class LateListenerTests {

	private final ApplicationContextRunner application = Contexts.withoutRedis()
		.withPropertyValues("distlock.backend=local");

	@Test
	void aBeanThatLocksWhileItIsCreatedForAListenerGetsItsLock() {
		this.application.withBean(EagerAlerts.class).withBean(EagerListener.class).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(context.getBean(EagerAlerts.class).locked).isTrue();
			try (HeldLock lock = context.getBean(LockRegistry.class).acquire(LockRequest.of("order-1"))) {
				assertThat(lock.isHeld()).isTrue();
			}
			await().untilAsserted(() -> assertThat(context.getBean(EagerListener.class).heard).contains("order-1"));
		});
	}

	@Test
	void theStartFindsTheListenersSoThatTheFirstLockSearchesNoBeans() {
		this.application.withBean("lazy", Recorder.class, Recorder::new, (bean) -> bean.setLazyInit(true))
			.run((context) -> assertThat(context.getBeanFactory().containsSingleton("lazy")).isTrue());
	}

	@Test
	void aListenerThatCannotBeCreatedAtTheStartHearsTheFirstEvent() {
		Recorder recorder = new Recorder();
		AtomicInteger tries = new AtomicInteger();
		this.application.withBean("late", LockListener.class, () -> {
			assertThat(tries.incrementAndGet()).isGreaterThan(1);
			return recorder;
		}, (bean) -> bean.setLazyInit(true)).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(tries).hasValue(1);
			context.getBean(LockRegistry.class).acquire(LockRequest.of("order-1")).close();
			assertThat(recorder.heard).contains("order-1");
		});
	}

	static class Recorder implements LockListener {

		final List<String> heard = new CopyOnWriteArrayList<>();

		@Override
		public void onReleased(Released event) {
			this.heard.add(event.key());
		}

	}

	static class EagerAlerts {

		private final boolean locked;

		EagerAlerts(LockRegistry locks) {
			try (HeldLock lock = locks.acquire(LockRequest.of("eager"))) {
				this.locked = lock.isHeld();
			}
		}

	}

	static class EagerListener extends Recorder {

		EagerListener(EagerAlerts alerts) {
			assertThat(alerts.locked).isTrue();
		}

	}

}
