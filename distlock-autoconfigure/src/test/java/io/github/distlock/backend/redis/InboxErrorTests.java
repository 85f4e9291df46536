package io.github.distlock.backend.redis;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import io.github.distlock.backend.redis.InboxMonitor.InboxState;
import io.github.distlock.testing.ManualClock;
import io.github.distlock.testing.RedisTestServer;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.DefaultMessage;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.awaitility.Awaitility.await;

/**
 * After an error at any step of the inbox it works again, with a real server.
 */
@ExtendWith(OutputCaptureExtension.class)
class InboxErrorTests implements RedisInbox.Events, InboxMonitor.Server {

	private static RedisTestServer server;

	private final LettuceConnectionFactory connections = server.connectionFactory();

	/** How many more times the next step fails. */
	private final AtomicInteger failures = new AtomicInteger();

	private final AtomicInteger published = new AtomicInteger();

	private final AtomicInteger notified = new AtomicInteger();

	private final ManualClock clock = new ManualClock();

	private final ThreadFactory threads = (task) -> {
		fail();
		Thread thread = new Thread(task);
		thread.setDaemon(true);
		return thread;
	};

	private final RedisInbox inbox = new RedisInbox(failing(this.connections), "inbox", this, Throwable::getMessage);

	private final InboxMonitor monitor = new InboxMonitor(this.inbox, this, this.clock, Duration.ofMinutes(1),
			this.threads);

	@BeforeAll
	static void startServer() {
		server = RedisTestServer.start();
	}

	@AfterAll
	static void stopServer() {
		server.close();
	}

	@AfterEach
	void stop() {
		this.inbox.stop(false);
		this.connections.destroy();
	}

	private void fail() {
		if (this.failures.getAndUpdate((left) -> Math.max(0, left - 1)) > 0) {
			throw new OutOfMemoryError("unable to create native thread");
		}
	}

	private RedisConnectionFactory failing(RedisConnectionFactory target) {
		ProxyFactory factory = new ProxyFactory();
		factory.setTarget(target);
		factory.addInterface(RedisConnectionFactory.class);
		factory.addAdvice((MethodInterceptor) (call) -> {
			fail();
			return call.proceed();
		});
		return (RedisConnectionFactory) factory.getProxy();
	}

	@Test
	void anErrorWhileSubscribingDoesNotEndTheInbox() {
		this.failures.set(2);
		startInbox();
		await().until(this.inbox::isConfirmed);
		assertThat(this.failures).hasValue(0);
	}

	@Test
	void oneFailedSubscriptionIsNoWarning(CapturedOutput output) {
		this.failures.set(1);
		startInbox();
		await().until(this.inbox::isConfirmed);
		assertThat(this.failures).hasValue(0);
		assertThat(output).doesNotContain("inbox");
	}

	@Test
	void aSubscriptionThatFailsTwiceIsAWarningAndALineSaysThatItWorksNow(CapturedOutput output) {
		this.failures.set(4);
		startInbox();
		await().until(this.inbox::isConfirmed);
		await().untilAsserted(() -> assertThat(output).contains("The inbox inbox is subscribed now"));
		assertThat(output).containsOnlyOnce("Cannot subscribe to the inbox inbox yet");
	}

	private void startInbox() {
		this.inbox.start(Thread::new);
	}

	@Test
	void aCallerGoesOnWhenNoThreadCanCheckTheInbox() {
		startInbox();
		await().until(this.inbox::isConfirmed);
		this.monitor.subscribed();
		await().until(() -> this.published.get() > 0);
		this.published.set(0);
		this.clock.pass(Duration.ofSeconds(11));
		this.failures.set(1);
		assertThat(this.monitor.state()).isEqualTo(InboxState.SUBSCRIBED);
		assertThat(this.failures).hasValue(0);
		// Soon, and not only after the regular interval.
		this.clock.pass(Duration.ofSeconds(2));
		this.monitor.state();
		await().untilAsserted(() -> assertThat(this.published).hasPositiveValue());
	}

	@Test
	void aNewSubscriptionSignalsWaitingTicketsEvenIfNoThreadCanCheckIt() {
		this.failures.set(1);
		assertThatNoException().isThrownBy(this.monitor::subscribed);
		assertThat(this.notified).hasValue(1);
	}

	@Test
	void aNewSubscriptionSignalsWaitingTicketsEvenIfItsCheckFails() {
		InboxMonitor failing = monitor(() -> {
			throw new StackOverflowError();
		});
		failing.subscribed();
		await().until(() -> this.notified.get() == 1);
	}

	@Test
	void aCheckThatTheDriverNeverAnswersEndsWithTheInbox() throws Exception {
		CountDownLatch asked = new CountDownLatch(1);
		CountDownLatch interrupted = new CountDownLatch(1);
		InboxMonitor unanswered = monitor(() -> {
			asked.countDown();
			try {
				new CountDownLatch(1).await();
				return 1L;
			}
			catch (InterruptedException ex) {
				interrupted.countDown();
				throw new IllegalStateException(ex);
			}
		});
		unanswered.subscribed();
		assertThat(asked.await(30, TimeUnit.SECONDS)).isTrue();
		unanswered.stop();
		assertThat(interrupted.await(30, TimeUnit.SECONDS)).isTrue();
	}

	private InboxMonitor monitor(Supplier<Long> publishing) {
		return new InboxMonitor(this.inbox, new InboxMonitor.Server() {

			@Override
			public long publish(String text) {
				return publishing.get();
			}

			@Override
			public boolean isCountable() {
				return true;
			}

			@Override
			public void subscriptionConfirmed() {
				InboxErrorTests.this.notified.incrementAndGet();
			}

			@Override
			public void receivedNothing(boolean renewed) {
			}

		}, this.clock, Duration.ofMinutes(1), this.threads);
	}

	@Test
	void anErrorInAMessageReachesNoThreadOfTheDriver() {
		this.failures.set(1);
		assertThatNoException().isThrownBy(
				() -> this.inbox.onMessage(new DefaultMessage("inbox".getBytes(), "me:1|1|1|1|1|a".getBytes()), null));
		assertThat(this.failures).hasValue(0);
	}

	@Override
	public void subscribed() {
	}

	@Override
	public void probed(String text) {
	}

	@Override
	public void received(InboxMessage message) {
		fail();
	}

	@Override
	public long publish(String text) {
		this.published.incrementAndGet();
		return 1;
	}

	@Override
	public boolean isCountable() {
		return false;
	}

	@Override
	public void subscriptionConfirmed() {
		this.notified.incrementAndGet();
	}

	@Override
	public void receivedNothing(boolean renewed) {
	}

}
