package io.github.distlock.aop;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.distlock.DistributedLock;
import io.github.distlock.FencingToken;
import io.github.distlock.HeldLock;
import io.github.distlock.LockBackendException;
import io.github.distlock.LockContext;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockException;
import io.github.distlock.LockListener;
import io.github.distlock.LockLostException;
import io.github.distlock.LockMode;
import io.github.distlock.LockNotAcquiredException;
import io.github.distlock.LockOutcome;
import io.github.distlock.LockRequest;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.support.AopUtils;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Tests locked calls, their conditions, fallbacks and parameters that receive the fencing
 * token, with a registry that records what happens.
 */
@ExtendWith(OutputCaptureExtension.class)
class LockInterceptorTests {

	private final AnnotationConfigApplicationContext context = LockedApplication
		.of(Orders.class, Stock.class, Fallbacks.class, Tokens.class, Recorder.class)
		.with("limit", 10)
		.start();

	private final Orders orders = this.context.getBean(Orders.class);

	private final Stock stock = this.context.getBean(Stock.class);

	private final Fallbacks fallbacks = this.context.getBean(Fallbacks.class);

	private final Tokens tokens = this.context.getBean(Tokens.class);

	private final InMemoryLocks locks = this.context.getBean(InMemoryLocks.class);

	private final Recorder recorder = this.context.getBean(Recorder.class);

	@AfterEach
	void close() {
		this.context.close();
		assertThat(LockContext.current()).isEmpty();
	}

	@Test
	void theMethodRunsBetweenAcquireAndRelease() {
		assertThat(this.orders.deduct("7", this.locks)).isEqualTo("done");
		assertThat(this.locks.events).containsExactly("acquire order-7", "run", "release order-7");
	}

	@Test
	void theRequestHasTheAttributesOfTheAnnotation() {
		this.orders.deduct("7", this.locks);
		this.orders.plain();
		assertThat(this.locks.requests).containsExactly(LockRequest.of("order-7")
			.waitTime(Duration.ofSeconds(2))
			.leaseTime(Duration.ofSeconds(10))
			.fair(true)
			.mode(LockMode.WRITE)
			.name("stock"), LockRequest.of(Orders.class.getName() + "#plain()").name("Orders.plain"));
	}

	@Test
	void theLockIsTheCurrentOneWhileTheMethodRuns() {
		assertThat(this.orders.current()).isSameAs(this.locks.held.get(0));
		assertThat(LockContext.current()).isEmpty();
	}

	@Test
	void theExceptionOfTheMethodIsNotChanged() {
		for (Throwable thrown : List.of(new IOException("checked"), new IllegalStateException(),
				new InterruptedException("mine"), new StackOverflowError(), new LockNotAcquiredException("inner"))) {
			assertThat(catchThrowable(() -> this.orders.fail(thrown))).isSameAs(thrown);
			assertThat(Thread.currentThread().isInterrupted()).isFalse();
			assertThat(thrown.getSuppressed()).isEmpty();
		}
		assertThat(this.locks.events.stream().filter((event) -> event.startsWith("release"))).hasSize(5);
	}

	@Test
	void aReleaseProblemIsSuppressedInTheMethodsOwnException() {
		this.locks.releaseFailure = new LockLostException("lost");
		IOException thrown = new IOException("mine");
		assertThat(catchThrowable(() -> this.orders.fail(thrown))).isSameAs(thrown);
		assertThat(thrown.getSuppressed()).containsExactly(this.locks.releaseFailure);
	}

	@Test
	void aReleaseProblemThatIsTheMethodsOwnExceptionIsThrown() {
		LockLostException thrown = new LockLostException("both");
		this.locks.releaseFailure = thrown;
		assertThat(catchThrowable(() -> this.orders.fail(thrown))).isSameAs(thrown);
	}

	@Test
	void aLostLockIsThrownWhenTheMethodReturned() {
		this.locks.releaseFailure = new LockLostException("lost");
		assertThatException().isThrownBy(this.orders::plain).isSameAs(this.locks.releaseFailure);
	}

	@Test
	void theKeyIsEvaluatedOnceAndBeforeTheCall() {
		StringBuilder id = new StringBuilder("1");
		this.orders.change(id);
		assertThat(this.locks.events).containsExactly("acquire 1", "release 1");
		assertThat(id).hasToString("12");
	}

	@Test
	void allListenersAreNotifiedOfARefusedCallEvenIfOneFails(CapturedOutput output) {
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> this.orders.deduct(null, this.locks));
		assertThat(this.locks.requests).isEmpty();
		assertThat(this.recorder.events).singleElement().satisfies((event) -> {
			assertThat(event.backend()).isEqualTo("memory");
			assertThat(event.name()).isEqualTo("stock");
			assertThat(event.key()).isNull();
			assertThat(event.outcome()).isEqualTo(LockOutcome.INVALID);
		});
		assertThat(output).contains("The lock listener", "failed on Attempted");
	}

	@Test
	void disabledMethodsRunWithoutLockFromThenOn() {
		this.context.getBean(AtomicBoolean.class).set(false);
		assertThat(this.orders.deduct(null, this.locks)).isEqualTo("done");
		assertThat(this.locks.events).containsExactly("run");
		this.context.getBean(AtomicBoolean.class).set(true);
		this.orders.plain();
		assertThat(this.locks.requests).hasSize(1);
	}

	@Test
	void theLockIsTakenWhenTheConditionHolds() {
		assertThat(this.stock.sell("a", 11)).isTrue();
		assertThat(this.locks.events).containsExactly("acquire a", "release a");
	}

	@Test
	void theMethodRunsWithoutItsLockWhenTheConditionDoesNotHold() {
		this.locks.taken.add("a");
		assertThat(this.stock.sell("a", 10)).isFalse();
		assertThat(this.locks.requests).isEmpty();
	}

	@Test
	void theKeyIsNotEvaluatedWhenNoLockIsNeeded() {
		assertThat(this.stock.sell(null, 10)).isFalse();
	}

	@Test
	void aConditionThatIsNeitherTrueNorFalseIsRefused() {
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> this.stock.odd("yes"))
			.withMessage("@DistributedLock(condition = \"#flag\") on " + Stock.class.getName()
					+ ".odd(Object) evaluated to an instance of java.lang.String, which is neither true nor false: "
					+ "compare it with something, as in #amount > 10 or #id != null");
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> this.stock.odd(null))
			.withMessageContaining("evaluated to null");
		assertThat(this.stock.odd(true)).isEqualTo("ran");
	}

	@Test
	void aConditionThatCannotBeEvaluatedIsRefused() {
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> this.stock.property("text"))
			.withMessageContainingAll("@DistributedLock(condition = \"#order.paid\")", "cannot be evaluated");
	}

	private void take() {
		this.locks.taken.add("k");
	}

	@Test
	void aPrivateFallbackIsCalledOnTheBeanWithoutALock() {
		take();
		assertThat(this.fallbacks.plain("a")).isEqualTo("fell back a, field set, no lock");
		assertThat(this.locks.requests).hasSize(1);
	}

	@Test
	void theOverloadWithTheMostPreciseExceptionIsCalled() {
		take();
		assertThat(this.fallbacks.precise("a")).isEqualTo("late a");
		this.locks.failure = new LockBackendException("down");
		assertThat(this.fallbacks.precise("a")).isEqualTo("down a");
	}

	@Test
	void aFallbackForAllExceptionsIsCalledForAFailingStoreToo() {
		take();
		assertThat(this.fallbacks.any(List.of(1))).isEqualTo("[1] LockNotAcquiredException");
		this.locks.failure = new LockBackendException("down");
		assertThat(this.fallbacks.any(List.of(1))).isEqualTo("[1] LockBackendException");
	}

	@Test
	void aFallbackForAFailingStoreIsNotCalledForATakenLock() {
		take();
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.fallbacks.storeOnly(1));
		this.locks.failure = new LockBackendException("down");
		assertThat(this.fallbacks.storeOnly(1)).isEqualTo(-1);
	}

	@Test
	void noFallbackIsCalledForAnInterruptAnInvalidCallOrALostLock() {
		for (RuntimeException failure : List.of(new LockNotAcquiredException("interrupted", new InterruptedException()),
				new LockDefinitionException("bad"), new LockLostException("lost"))) {
			this.locks.failure = failure;
			assertThatException().isThrownBy(() -> this.fallbacks.any(List.of(1))).isSameAs(failure);
		}
		this.locks.failure = null;
		this.locks.releaseFailure = new LockLostException("lost at the end");
		assertThatException().isThrownBy(() -> this.fallbacks.any(List.of(1))).isSameAs(this.locks.releaseFailure);
	}

	@Test
	void theExceptionOfTheFallbackIsNotChanged() {
		take();
		assertThat(catchThrowable(this.fallbacks::throwing)).isExactlyInstanceOf(Exception.class).hasMessage("checked");
	}

	@Test
	void aGenericMethodHasAGenericFallback() {
		take();
		assertThat(this.fallbacks.generic("x")).isEqualTo("x");
		assertThat(this.fallbacks.inherited("x")).isEqualTo("inherited x");
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void theParameterReceivesTheTokenBehindBothKindsOfProxies(boolean classProxies) {
		LockedApplication application = LockedApplication.of(Sales.class);
		(classProxies ? application.withClassProxies() : application).call(Shop.class, (shop) -> {
			assertThat(AopUtils.isJdkDynamicProxy(shop)).isEqualTo(!classProxies);
			assertThat(shop.onClass("a", -1)).isEqualTo(1);
			assertThat(shop.onInterface(null, "a")).isEqualTo(1);
		});
	}

	@Test
	void withoutALockTheTokenIsZero() {
		assertThat(this.tokens.conditional(false, 7)).isZero();
		assertThat(this.tokens.conditional(true, 7)).isEqualTo(1);
		take();
		assertThat(this.tokens.conditional(true, 7)).isEqualTo(-1);
	}

	@Test
	void ifLocksAreDisabledTheTokenIsThatOfTheRegistryWhichLocksNothing() {
		this.context.getBean(AtomicBoolean.class).set(false);
		assertThat(this.tokens.conditional(false, 7)).isEqualTo(1);
	}

	@Test
	void severalKeysHaveNoCommonToken() {
		assertThat(this.tokens.many(List.of("a"), 0L)).isEqualTo(1);
		assertThatExceptionOfType(LockDefinitionException.class)
			.isThrownBy(() -> this.tokens.many(List.of("a", "b"), 0L))
			.withMessageContaining("was called for 2 keys, but has a @FencingToken parameter");
	}

	@Test
	void aReaderWithATokenIsWarned(CapturedOutput output) {
		assertThat(output)
			.containsPattern("WARN.*Tokens[.]ofReader\\(long\\) has a @FencingToken parameter in mode READ");
	}

	static class Recorder implements LockListener {

		final List<Attempted> events = new ArrayList<>();

		@Override
		public void onAttempted(Attempted event) {
			this.events.add(event);
			throw new AssertionError("a bad listener");
		}

	}

	static class Orders {

		@DistributedLock(key = "'order-' + #id", name = "stock", waitTime = "2s", leaseTime = "PT10S", fair = true,
				mode = LockMode.WRITE)
		String deduct(@Nullable String id, InMemoryLocks locks) {
			locks.events.add("run");
			return "done";
		}

		@DistributedLock
		void plain() {
		}

		@DistributedLock
		@Nullable HeldLock current() {
			return LockContext.current().orElse(null);
		}

		@DistributedLock(key = "'fail'")
		void fail(Throwable thrown) throws Throwable {
			throw thrown;
		}

		@DistributedLock("#id")
		void change(StringBuilder id) {
			id.append("2");
		}

	}

	static class Stock {

		@DistributedLock(key = "#id", condition = "#amount > ${limit}")
		boolean sell(@Nullable String id, int amount) {
			return LockContext.current().isPresent();
		}

		@DistributedLock(key = "'k'", condition = "#flag")
		String odd(@Nullable Object flag) {
			return "ran";
		}

		@DistributedLock(key = "'k'", condition = "#order.paid")
		void property(Object order) {
		}

	}

	abstract static class Base<T> {

		@DistributedLock(key = "'k'", fallback = "inheritedFallback")
		String inherited(T value) {
			return "ran";
		}

	}

	static class Fallbacks extends Base<String> {

		private final String field = "field set";

		@DistributedLock(key = "'k'", fallback = "plainFallback")
		String plain(String id) {
			return "ran " + id;
		}

		private String plainFallback(String id) {
			return "fell back " + id + ", " + this.field + (LockContext.current().isEmpty() ? ", no lock" : "");
		}

		@DistributedLock(key = "'k'", fallback = "preciseFallback")
		String precise(String id) {
			return "ran";
		}

		String preciseFallback(String id) {
			throw new IllegalStateException("not the nearest");
		}

		String preciseFallback(String id, LockException problem) {
			return "down " + id;
		}

		String preciseFallback(String id, LockNotAcquiredException problem) {
			return "late " + id;
		}

		String preciseFallback(Integer id) {
			throw new IllegalStateException("of another method");
		}

		@DistributedLock(key = "'k'", fallback = "anyFallback")
		Object any(List<Integer> ids) {
			return "ran";
		}

		String anyFallback(List<Integer> ids, Exception problem) {
			return ids + " " + problem.getClass().getSimpleName();
		}

		@DistributedLock(key = "'k'", fallback = "storeFallback")
		int storeOnly(int id) {
			return id;
		}

		static int storeFallback(int id, LockBackendException problem) {
			return -id;
		}

		@DistributedLock(key = "'k'", fallback = "throwingFallback")
		void throwing() throws Exception {
		}

		void throwingFallback() throws Exception {
			throw new Exception("checked");
		}

		@DistributedLock(key = "'k'", fallback = "genericFallback")
		<T extends Comparable<T>> @Nullable T generic(T value) {
			return null;
		}

		<T extends Comparable<T>> T genericFallback(T value) {
			return value;
		}

		String inheritedFallback(String value) {
			return "inherited " + value;
		}

	}

	interface Shop {

		long onClass(String id, long token);

		long onInterface(@FencingToken @Nullable Long token, String id);

	}

	static class Sales implements Shop {

		@Override
		@DistributedLock("#id")
		public long onClass(String id, @FencingToken long token) {
			return token;
		}

		@Override
		@DistributedLock("#id")
		public long onInterface(@Nullable Long token, String id) {
			return (token != null) ? token : -1;
		}

	}

	static class Tokens {

		@DistributedLock(key = "'k'", condition = "#locked", fallback = "without")
		long conditional(boolean locked, @FencingToken long token) {
			return token;
		}

		long without(boolean locked, long token) {
			return token - 1;
		}

		@DistributedLock("#ids")
		long many(List<String> ids, @FencingToken Long token) {
			return token;
		}

		@DistributedLock(mode = LockMode.READ)
		long ofReader(@FencingToken long token) {
			return token;
		}

	}

}
