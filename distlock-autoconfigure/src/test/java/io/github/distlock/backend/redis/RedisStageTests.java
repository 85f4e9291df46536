package io.github.distlock.backend.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.Stream;

import io.github.distlock.LockBackendException;
import io.github.distlock.LockInstance;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.LockStore.Renewal;
import io.github.distlock.backend.LockStore.Successor;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.StoreContext;
import io.github.distlock.backend.StoreInspection;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.contract.Answers;
import io.github.distlock.testing.NoSignals;
import io.github.distlock.testing.RedisTestServer;
import io.github.distlock.testing.TcpProxy;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.willReturn;
import static org.mockito.Mockito.mock;

/**
 * On dedicated connections each verb returns at once, and its stage ends, whether or not
 * there is a connection and an answer. Then the store between a break of the connection
 * and an answer, behind several releases, and after an error: the test is the driver.
 */
class RedisStageTests extends OnRedis implements RedisCommands {

	private static final Duration LEASE = Duration.ofSeconds(30);

	private static final Duration SHORT = Duration.ofSeconds(1);

	private final TcpProxy proxy = new TcpProxy(server.port());

	private final LettuceConnectionFactory application = RedisTestServer.connectionFactory(this.proxy.port());

	@AfterEach
	void close() {
		this.application.destroy();
		this.proxy.close();
	}

	/** Open a store whose commands are not answered. */
	private LockStore open(boolean connected, Duration timeout) {
		this.proxy.holdBack(!connected);
		LockStore store = open(backend(this.application, timeout, TimeSource.SYSTEM), "me");
		if (connected) {
			await().ignoreExceptions().untilAsserted(store::verify);
			this.proxy.swallow(true);
		}
		return store;
	}

	/** Call all verbs on this thread. An attempt comes behind a release of its key. */
	private static List<CompletableFuture<?>> callVerbs(LockStore store) {
		return Stream
			.<CompletionStage<?>>of(store.attempt(ticket("new", 1), LEASE, true),
					store.release(ticket("held", 2), 1, null), store.attempt(ticket("held", 3), LEASE, false),
					store.release(ticket("handed", 4), 1, new Successor(ticket("handed", 5), LEASE)),
					store.cancel(ticket("left", 6)), store.renew(List.of(new Renewal(ticket("kept", 7), 17, LEASE))))
			.<CompletableFuture<?>>map(CompletionStage::toCompletableFuture)
			.toList();
	}

	private static void assertThatAllFail(List<CompletableFuture<?>> answers) {
		answers.subList(0, answers.size() - 1)
			.forEach((answer) -> assertThatExceptionOfType(LockBackendException.class)
				.isThrownBy(() -> Answers.of(answer)));
		assertThat(Answers.of(answers.get(answers.size() - 1))).asInstanceOf(InstanceOfAssertFactories.LIST)
			.singleElement()
			.isInstanceOf(RenewalResult.Unknown.class);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void eachStageEndsWithoutAnAnswerOrAConnection(boolean connected) {
		LockStore store = open(connected, SHORT);
		assertThatAllFail(callVerbs(store));
		store.close();
	}

	@Test
	void commandsThatCameBeforeTheConnectionAreSentWhenItIsThere() throws Exception {
		LockStore store = open(false, TIMEOUT);
		CompletableFuture<AttemptResult> answer = store.attempt(ticket("early", 1), LEASE, false).toCompletableFuture();
		assertThat(answer).isNotDone();
		this.proxy.holdBack(false);
		assertThat(answer.get(30, TimeUnit.SECONDS)).isInstanceOf(Grant.class);
		store.close();
	}

	@Test
	void aQuestionThatIsNotAnsweredInTimeNamesItsLock() {
		this.proxy.holdBack(true);
		AtomicLong hours = new AtomicLong();
		TimeSource fast = new TimeSource() {

			@Override
			public long nanoTime() {
				return TimeUnit.HOURS.toNanos(hours.incrementAndGet());
			}

			@Override
			public long wallMillis() {
				return TimeUnit.HOURS.toMillis(hours.get());
			}

		};
		LockStore store = open(backend(this.application, SHORT, fast), "me");
		StoreInspection inspection = Objects.requireNonNull(store.inspection());
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> inspection.inspect("asked"))
			.withMessageStartingWith("Redis at ")
			.withMessageEndingWith(". The inspection for lock 'asked' failed");
		store.close();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void noVerbWaitsForItsAnswerOrForAConnectionAndAStoreThatIsClosedEndsEachStage(boolean connected) {
		LockStore store = open(connected, Duration.ofMinutes(2));
		List<CompletableFuture<?>> answers = callVerbs(store);
		assertThat(answers).noneMatch(CompletableFuture::isDone);
		CompletableFuture.runAsync(store::close);
		assertThatAllFail(answers);
	}

	private final AtomicInteger breaks = new AtomicInteger();

	/** The answers to the scripts that were sent. */
	private final List<CompletableFuture<String>> scripts = new ArrayList<>();

	/** The answer to the native command. */
	private final CompletableFuture<String> replaced = new CompletableFuture<>();

	private final RedisConnections connections = mock();

	private RedisLockStore openDriven() {
		given(this.connections.send(any(), any(), any()))
			.willAnswer((call) -> call.<Function<RedisCommands, CompletionStage<?>>>getArgument(2).apply(this));
		given(this.connections.limit(any())).willAnswer((call) -> call.getArgument(0));
		given(this.connections.breaks()).willAnswer((call) -> this.breaks.get());
		given(this.connections.inbox()).willReturn(mock());
		given(this.connections.keepsOrder()).willReturn(true);
		RedisLockBackend backend = backend(mock(RedisConnectionFactory.class));
		return new RedisLockStore(this.connections, new RedisKeys("distlock:"), backend.description(),
				TimeSource.SYSTEM, new StoreContext(LockInstance.of("me"), new NoSignals()));
	}

	@Override
	public CompletionStage<String> evaluate(String command, String script, List<String> keys, String... args) {
		CompletableFuture<String> answer = new CompletableFuture<>();
		this.scripts.add(answer);
		return answer;
	}

	@Override
	public CompletionStage<String> execute(String command, byte[]... args) {
		return this.replaced;
	}

	@Test
	void aNativeReleaseThatTheDriverMayHaveSentTwiceIsNotALoss() {
		RedisLockStore store = openDriven();
		Ticket ticket = ticket("key", 1);
		CompletionStage<AttemptResult> attempt = store.attempt(ticket, LEASE, false);
		this.scripts.get(0).complete("1000");
		CompletionStage<ReleaseResult> release = store.release(ticket, ((Grant) Answers.of(attempt)).lastToken(), null);
		this.breaks.incrementAndGet();
		// The second time it finds what it has written.
		this.replaced.complete("|1016");
		this.scripts.get(1).complete("gone");
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> Answers.of(release))
			.withMessageContaining("so it may have been executed before");
	}

	@Test
	void anAttemptWaitsOnlyForTheReleasesThatBeganBeforeIt() {
		RedisLockStore store = openDriven();
		store.release(ticket("key", 1), 1, null);
		store.attempt(ticket("key", 2), LEASE, false);
		store.release(ticket("key", 3), 1, null);
		assertThat(this.scripts).hasSize(2);
		this.scripts.get(0).complete("gone");
		assertThat(this.scripts).hasSize(3);
	}

	@Test
	void anErrorInARenewalIsAnUnknownResult() {
		RedisLockStore store = openDriven();
		OutOfMemoryError error = new OutOfMemoryError("injected");
		willReturn(CompletableFuture.failedFuture(error)).given(this.connections).send(any(), any(), any());
		assertThat(Answers.of(store.renew(List.of(new Renewal(ticket("key", 1), 17, LEASE))))).singleElement()
			.asInstanceOf(InstanceOfAssertFactories.type(RenewalResult.Unknown.class))
			.satisfies((unknown) -> assertThat(unknown.cause()).hasCause(error));
	}

}
