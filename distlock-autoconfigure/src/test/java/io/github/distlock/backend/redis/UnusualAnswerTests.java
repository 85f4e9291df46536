package io.github.distlock.backend.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

import io.github.distlock.LockBackendException;
import io.github.distlock.LockInstance;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockStore.Renewal;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.StoreContext;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.contract.Answers;
import io.github.distlock.testing.NoSignals;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.willReturn;
import static org.mockito.Mockito.mock;

/**
 * The store between a break of the connection and an answer, behind several releases, and
 * after an error: the test is the driver.
 */
class UnusualAnswerTests implements RedisCommands {

	private static final Duration LEASE = Duration.ofSeconds(30);

	private final AtomicInteger breaks = new AtomicInteger();

	/** The answers to the scripts that were sent. */
	private final List<CompletableFuture<String>> scripts = new ArrayList<>();

	/** The answer to the native command. */
	private final CompletableFuture<String> replaced = new CompletableFuture<>();

	private final RedisConnections connections = mock();

	private RedisLockStore open() {
		given(this.connections.send(any(), any(), any()))
			.willAnswer((call) -> call.<Function<RedisCommands, CompletionStage<?>>>getArgument(2).apply(this));
		given(this.connections.limit(any())).willAnswer((call) -> call.getArgument(0));
		given(this.connections.breaks()).willAnswer((call) -> this.breaks.get());
		given(this.connections.inbox()).willReturn(mock());
		given(this.connections.keepsOrder()).willReturn(true);
		RedisLockBackend backend = OnRedis.backend(mock(RedisConnectionFactory.class));
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
		RedisLockStore store = open();
		Ticket ticket = OnRedis.ticket("key", 1);
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
		RedisLockStore store = open();
		store.release(OnRedis.ticket("key", 1), 1, null);
		store.attempt(OnRedis.ticket("key", 2), LEASE, false);
		store.release(OnRedis.ticket("key", 3), 1, null);
		assertThat(this.scripts).hasSize(2);
		this.scripts.get(0).complete("gone");
		assertThat(this.scripts).hasSize(3);
	}

	@Test
	void anErrorInARenewalIsAnUnknownResult() {
		RedisLockStore store = open();
		OutOfMemoryError error = new OutOfMemoryError("injected");
		willReturn(CompletableFuture.failedFuture(error)).given(this.connections).send(any(), any(), any());
		assertThat(Answers.of(store.renew(List.of(new Renewal(OnRedis.ticket("key", 1), 17, LEASE))))).singleElement()
			.asInstanceOf(InstanceOfAssertFactories.type(RenewalResult.Unknown.class))
			.satisfies((unknown) -> assertThat(unknown.cause()).hasCause(error));
	}

}
