package io.github.distlock.backend.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import io.github.distlock.LockInstance;
import io.github.distlock.LockMode;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.redlock.QuorumNode.NodeEvents;
import io.github.distlock.contract.Answers;
import io.github.distlock.testing.ManualClock;
import io.github.distlock.testing.RedisTestServer;
import io.github.distlock.testing.TcpProxy;
import io.github.distlock.thread.LockLog;
import io.lettuce.core.resource.ClientResources;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.DefaultMessage;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.util.function.ThrowingSupplier;

import static io.github.distlock.testing.FlushedLog.flushed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.awaitility.Awaitility.await;
import static org.mockito.BDDMockito.willAnswer;
import static org.mockito.Mockito.mock;

/**
 * After an error at any step of the inbox it works again, with a real server. With Jedis
 * the inbox takes a connection of the application's pool: however its subscription ends,
 * the other connections of the pool stay usable. Spring Data 4.1 has a client that all
 * connections share; without it, each connection is of its own.
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
			return ThrowingSupplier.of(() -> InboxErrorTests.this.check.await(5, TimeUnit.MINUTES)).get();
		}

		@Override
		public String explain(Throwable failure) {
			return String.valueOf(failure.getMessage());
		}

	}

	private static final List<String> KEYS = new RedisKeys("distlock:").lockQueueAndReaders("k");

	@AutoClose
	private final TcpProxy proxy = new TcpProxy(server.port());

	@AutoClose("destroy")
	private final JedisConnectionFactory jedis = jedis(this.proxy.port());

	private final ManualClock clock = new ManualClock();

	private final QueueKey queue = new QueueKey(template, KEYS.get(1));

	private final AtomicInteger subscriptions = new AtomicInteger();

	/** Those after which an inbox had received nothing. */
	private final AtomicInteger resubscriptions = new AtomicInteger();

	private int numbers;

	private LockStore open(boolean shared, Duration timeout) {
		this.jedis.setUseUnifiedJedis(shared);
		LockStore store = open(backend(RedisTestServer.started(this.jedis), timeout, this.clock), "a");
		await().until(() -> isCounted(store));
		return store;
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void anInboxThatReceivesNothingIsSubscribedOnANewConnection(boolean shared, CapturedOutput output) {
		try (LockStore store = open(shared, Duration.ofSeconds(2))) {
			this.proxy.muteSubscriptions();
			this.clock.pass(Duration.ofSeconds(11));
			await().until(() -> {
				isCounted(store);
				return flushed(output).getOut().contains("is subscribed again on a new connection");
			});
			await().until(() -> this.resubscriptions.get() > 0);
			await().ignoreExceptions().until(() -> {
				this.clock.pass(Duration.ofSeconds(2));
				return isCounted(store);
			});
			assertPoolIsUsable();
			assertThat(flushed(output)).doesNotContain("Cannot subscribe");
		}
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void anInboxWhoseConnectionBreaksLeavesNoOtherConnectionOpen(boolean shared) {
		try (LockStore store = open(shared, TIMEOUT)) {
			for (int i = 0; i < 3; i++) {
				int before = this.subscriptions.get();
				server.process().ask("CLIENT", "KILL", "TYPE", "pubsub");
				await().until(() -> this.subscriptions.get() > before && clients("sub=1").size() == 1);
				await().ignoreExceptions().until(() -> isCounted(store));
			}
			assertPoolIsUsable();
			await().until(() -> clients("cmd=unsubscribe").isEmpty());
		}
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void anInboxThatIsClosedLeavesNoSubscription(boolean shared) {
		open(shared, TIMEOUT).close();
		await().until(() -> clients("sub=1").isEmpty());
		assertPoolIsUsable();
	}

	/**
	 * Whether a ticket that waits is queued as one that a message reaches. That is the
	 * case only if the inbox is verified.
	 */
	private boolean isCounted(LockStore store) {
		template.opsForValue().set(KEYS.get(0), "-other:1|1|1790000000000000");
		Ticket ticket = new Ticket("k", LockMode.EXCLUSIVE, "a", ++this.numbers, false);
		Answers.of(store.attempt(ticket, Duration.ofSeconds(30), true));
		boolean counted = this.queue.tokens().contains(ticket.token())
				&& this.queue.entry(ticket.token()).endsWith("|T");
		Answers.of(store.cancel(ticket));
		return counted;
	}

	@Override
	public void retryAll() {
		this.subscriptions.incrementAndGet();
	}

	@Override
	public void resubscribed(String inbox, String server) {
		this.resubscriptions.incrementAndGet();
	}

	/** An unread reply on a connection would be the answer to the next command. */
	private void assertPoolIsUsable() {
		List<RedisConnection> all = Stream.generate(this.jedis::getConnection).limit(4).toList();
		for (int round = 0; round < 4; round++) {
			all.forEach((connection) -> assertThat(connection.ping()).isEqualTo("PONG"));
		}
		all.forEach(RedisConnection::close);
	}

	private List<String> clients(String part) {
		return String.valueOf(server.process().ask("CLIENT", "LIST"))
			.lines()
			.filter((line) -> line.contains(" " + part + " "))
			.toList();
	}

}
