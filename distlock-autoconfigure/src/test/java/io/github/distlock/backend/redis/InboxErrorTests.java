package io.github.distlock.backend.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.distlock.LockInstance;
import io.github.distlock.backend.redlock.QuorumNode.NodeEvents;
import io.github.distlock.testing.TcpProxy;
import io.lettuce.core.resource.ClientResources;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.DefaultMessage;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;

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

	@AutoClose("stop")
	private final RedisInbox inbox = new FailingInbox();

	/** What a check waits for. */
	private volatile CountDownLatch check = new CountDownLatch(0);

	/** The last connection of the inbox. */
	private volatile RedisConnection connection;

	/** Whether the connection was closed when the thread had stopped. */
	private final CompletableFuture<Boolean> closedAtTheEnd = new CompletableFuture<>();

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
			Object result = call.proceed();
			if (result instanceof RedisConnection made) {
				this.connection = made;
			}
			return result;
		});
		return (RedisConnectionFactory) factory.getProxy();
	}

	@Test
	void anErrorWhileSubscribingDoesNotEndTheInbox() {
		this.failures.set(2);
		this.inbox.start();
		await().until(this.inbox::isSubscribed);
		assertThat(this.failures).hasValue(0);
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
		assertThat(output).doesNotContain("inbox");
	}

	@Test
	void aSubscriptionThatFailsTwiceIsAWarningAndALineSaysThatItWorksNow(CapturedOutput output) {
		this.failures.set(4);
		this.inbox.start();
		await().until(this.inbox::isSubscribed);
		await().untilAsserted(() -> assertThat(output).contains("The inbox inbox is subscribed now"));
		assertThat(output).containsOnlyOnce("Cannot subscribe to the inbox inbox yet");
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
		// So the one that stops does not wait for the thread, which is inside a check.
		Thread.currentThread().interrupt();
		this.inbox.stop();
		assertThat(Thread.interrupted()).isTrue();
		assertThat(this.closedAtTheEnd).isNotDone();
		this.check.countDown();
		assertThat(this.closedAtTheEnd.get(10, TimeUnit.SECONDS)).isTrue();
	}

	/** The connection for commands is the first one, and is refused. */
	@RepeatedTest(5)
	void aNodeThatCouldNotConnectAtFirstConnectsWithoutACommand() throws Exception {
		ClientResources resources = ClientResources.create();
		try (TcpProxy proxy = new TcpProxy(server.port())) {
			RedisQuorumNode node = new RedisQuorumNode("127.0.0.1:" + proxy.port(),
					new RedisStandaloneConfiguration("127.0.0.1", proxy.port()),
					LettuceClientConfiguration.builder().clientResources(resources).build(), "distlock:",
					Duration.ofSeconds(1));
			proxy.refuse(true);
			CompletableFuture<?> connected = node.start(LockInstance.of("me"), mock(NodeEvents.class))
				.toCompletableFuture();
			proxy.refuse(false);
			try {
				connected.get(10, TimeUnit.SECONDS);
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
		RedisQuorumNode node = new RedisQuorumNode("127.0.0.1:" + server.port(),
				new RedisStandaloneConfiguration("127.0.0.1", server.port()),
				LettuceClientConfiguration.builder().clientResources(resources).build(), "distlock:",
				Duration.ofSeconds(1));
		CompletableFuture<String> thread = new CompletableFuture<>();
		NodeEvents events = mock(NodeEvents.class);
		willAnswer((call) -> thread.complete(Thread.currentThread().getName())).given(events).doubted();
		node.start(LockInstance.of("me"), events);
		try {
			assertThat(thread.get(10, TimeUnit.SECONDS)).startsWith("distlock-inbox");
		}
		finally {
			node.stop();
			resources.shutdown(0, 0, TimeUnit.SECONDS);
		}
	}

	private final class FailingInbox extends RedisInbox {

		FailingInbox() {
			super(failing(connections), "inbox");
		}

		@Override
		void subscribed() {
		}

		@Override
		void broken() {
			super.broken();
			fail();
		}

		@Override
		void received(String text) {
			fail();
		}

		@Override
		boolean check() {
			fail();
			try {
				return InboxErrorTests.this.check.await(10, TimeUnit.SECONDS);
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}

		@Override
		void stopped() {
			InboxErrorTests.this.closedAtTheEnd.complete(InboxErrorTests.this.connection.isClosed());
		}

		@Override
		String explain(Throwable failure) {
			return String.valueOf(failure.getMessage());
		}

	}

}
