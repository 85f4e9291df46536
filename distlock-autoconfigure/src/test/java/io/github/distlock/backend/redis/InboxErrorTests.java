package io.github.distlock.backend.redis;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.distlock.LockInstance;
import io.github.distlock.backend.redlock.QuorumNode.NodeEvents;
import io.github.distlock.testing.TcpProxy;
import io.github.distlock.testing.Unchecked;
import io.github.distlock.thread.LockLog;
import io.lettuce.core.resource.ClientResources;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.DefaultMessage;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import static io.github.distlock.testing.FlushedLog.flushed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.awaitility.Awaitility.await;
import static org.mockito.BDDMockito.willAnswer;
import static org.mockito.Mockito.mock;

/**
 * After an error at any step of the inbox it works again, with a real server.
 */
@ExtendWith(OutputCaptureExtension.class)
class InboxErrorTests extends OnRedis {

	/** How many more times the next step fails. */
	private final AtomicInteger failures = new AtomicInteger();

	private final RedisInbox inbox = new RedisInbox(failing(connections, RedisConnectionFactory.class), "inbox",
			new FailingListener());

	/** What a check waits for. */
	private volatile CountDownLatch check = new CountDownLatch(0);

	private final CountDownLatch checking = new CountDownLatch(1);

	/** The last connection of the inbox. */
	private volatile RedisConnection connection;

	/** Whether the connection was closed when the thread had stopped. */
	private final CompletableFuture<Boolean> closedAtTheEnd = new CompletableFuture<>();

	@AfterEach
	void stop() {
		this.inbox.stop(() -> this.closedAtTheEnd.complete(this.connection.isClosed()));
		LockLog.flush();
	}

	private void fail() {
		if (this.failures.getAndUpdate((left) -> Math.max(0, left - 1)) > 0) {
			throw new OutOfMemoryError("unable to create native thread");
		}
	}

	private <T> T failing(T target, Class<T> type) {
		ProxyFactory factory = new ProxyFactory(type, (MethodInterceptor) (call) -> {
			if (call.getMethod().getName().equals("getConnection")) {
				fail();
			}
			Object result = call.proceed();
			if (call.getMethod().getName().equals("close")) {
				fail();
			}
			if (result instanceof RedisConnection made) {
				this.connection = made;
				return failing(made, RedisConnection.class);
			}
			return result;
		});
		factory.setTarget(target);
		return type.cast(factory.getProxy());
	}

	@Test
	void anErrorAtTheEndOfASubscriptionDoesNotEndTheInbox() {
		this.inbox.start();
		await().until(this.inbox::isSubscribed);
		// In the check, and then while the subscription ends.
		this.failures.set(2);
		this.inbox.wake();
		await().until(() -> this.failures.get() == 0 && this.inbox.isSubscribed());
	}

	@Test
	void oneFailedSubscriptionIsNoWarning(CapturedOutput output) {
		this.failures.set(1);
		this.inbox.start();
		await().until(this.inbox::isSubscribed);
		assertThat(this.failures).hasValue(0);
		assertThat(flushed(output)).doesNotContain("inbox");
	}

	@Test
	void aSubscriptionThatFailsDoesNotEndTheInboxAndIsAWarningAndALineSaysThatItWorksNow(CapturedOutput output) {
		this.failures.set(4);
		this.inbox.start();
		await().until(this.inbox::isSubscribed);
		await().untilAsserted(() -> assertThat(flushed(output)).contains("The inbox inbox is subscribed now"));
		assertThat(this.failures).hasValue(0);
		assertThat(flushed(output)).containsOnlyOnce("Cannot subscribe to the inbox inbox yet");
	}

	@Test
	void anErrorInAMessageReachesNoThreadOfTheDriver() {
		this.failures.set(1);
		assertThatNoException().isThrownBy(
				() -> this.inbox.onMessage(new DefaultMessage("inbox".getBytes(), "me:1|1|1|1|1|a".getBytes()), null));
		assertThat(this.failures).hasValue(0);
	}

	@Test
	void theThreadSaysThatItHasStoppedAfterItHasClosedItsConnectionHoweverLateThatIs() throws Exception {
		this.check = new CountDownLatch(1);
		this.inbox.start();
		await().until(this.inbox::isSubscribed);
		this.checking.await();
		// So the one that stops does not wait for the thread, which is inside a check.
		Thread.currentThread().interrupt();
		stop();
		assertThat(Thread.interrupted()).isTrue();
		assertThat(this.closedAtTheEnd).isNotDone();
		this.check.countDown();
		assertThat(this.closedAtTheEnd.get(30, TimeUnit.SECONDS)).isTrue();
	}

	/** The connection for commands is the first one, and is refused. */
	@RepeatedTest(5)
	void aNodeThatCouldNotConnectAtFirstConnectsWithoutACommand() throws Exception {
		ClientResources resources = ClientResources.create();
		try (TcpProxy proxy = new TcpProxy(server.port())) {
			RedisQuorumNode node = node(proxy.port(), resources);
			proxy.refuse(true);
			CompletableFuture<?> connected = node.start(LockInstance.of("me"), mock(NodeEvents.class))
				.toCompletableFuture();
			proxy.refuse(false);
			try {
				connected.get(30, TimeUnit.SECONDS);
			}
			finally {
				node.stop();
			}
		}
		finally {
			resources.shutdown(0, 0, TimeUnit.SECONDS);
		}
	}

	@Test
	void aNodeSaysOnTheThreadOfItsInboxThatMessagesMayBeLost() throws Exception {
		ClientResources resources = ClientResources.create();
		RedisQuorumNode node = node(server.port(), resources);
		CompletableFuture<String> thread = new CompletableFuture<>();
		NodeEvents events = mock(NodeEvents.class);
		willAnswer((call) -> thread.complete(Thread.currentThread().getName())).given(events).doubted();
		node.start(LockInstance.of("me"), events);
		try {
			assertThat(thread.get(30, TimeUnit.SECONDS)).startsWith("distlock-inbox");
		}
		finally {
			node.stop();
			resources.shutdown(0, 0, TimeUnit.SECONDS);
		}
	}

	private final class FailingListener implements RedisInbox.Listener {

		@Override
		public void received(String text) {
			fail();
		}

		@Override
		public boolean check() {
			fail();
			InboxErrorTests.this.checking.countDown();
			return Unchecked.call(() -> InboxErrorTests.this.check.await(5, TimeUnit.MINUTES));
		}

		@Override
		public String explain(Throwable failure) {
			return String.valueOf(failure.getMessage());
		}

	}

}
