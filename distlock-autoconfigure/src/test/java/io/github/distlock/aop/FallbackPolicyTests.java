package io.github.distlock.aop;

import java.util.List;

import io.github.distlock.DistributedLock;
import io.github.distlock.LockBackendException;
import io.github.distlock.LockContext;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockException;
import io.github.distlock.LockLostException;
import io.github.distlock.LockNotAcquiredException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Tests fallback methods.
 */
class FallbackPolicyTests {

	@AutoClose
	private final AnnotationConfigApplicationContext context = LockedApplication.of(Stock.class).start();

	private final Stock stock = this.context.getBean(Stock.class);

	private final InMemoryLocks locks = this.context.getBean(InMemoryLocks.class);

	private void take() {
		this.locks.taken.add("k");
	}

	@Test
	void aPrivateFallbackIsCalledOnTheBeanWithoutALock() {
		take();
		assertThat(this.stock.plain("a")).isEqualTo("fell back a, field set, no lock");
		assertThat(this.locks.requests).hasSize(1);
	}

	@Test
	void theOverloadWithTheMostPreciseExceptionIsCalled() {
		take();
		assertThat(this.stock.precise("a")).isEqualTo("late a");
		this.locks.failure = new LockBackendException("down");
		assertThat(this.stock.precise("a")).isEqualTo("down a");
	}

	@Test
	void aFallbackForAllExceptionsIsCalledForAFailingStoreToo() {
		take();
		assertThat(this.stock.any(List.of(1))).isEqualTo("[1] LockNotAcquiredException");
		this.locks.failure = new LockBackendException("down");
		assertThat(this.stock.any(List.of(1))).isEqualTo("[1] LockBackendException");
	}

	@Test
	void aFallbackForAFailingStoreIsNotCalledForATakenLock() {
		take();
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.stock.storeOnly(1));
		this.locks.failure = new LockBackendException("down");
		assertThat(this.stock.storeOnly(1)).isEqualTo(-1);
	}

	@Test
	void noFallbackIsCalledForAnInterruptAnInvalidCallOrALostLock() {
		for (RuntimeException failure : List.of(new LockNotAcquiredException("interrupted", new InterruptedException()),
				new LockDefinitionException("bad"), new LockLostException("lost"))) {
			this.locks.failure = failure;
			assertThatException().isThrownBy(() -> this.stock.any(List.of(1))).isSameAs(failure);
		}
		this.locks.failure = null;
		this.locks.releaseFailure = new LockLostException("lost at the end");
		assertThatException().isThrownBy(() -> this.stock.any(List.of(1))).isSameAs(this.locks.releaseFailure);
	}

	@Test
	void theExceptionOfTheFallbackIsNotChanged() {
		take();
		assertThat(catchThrowable(this.stock::throwing)).isExactlyInstanceOf(Exception.class).hasMessage("checked");
	}

	@Test
	void aGenericMethodHasAGenericFallback() {
		take();
		assertThat(this.stock.generic("x")).isEqualTo("x");
		assertThat(this.stock.inherited("x")).isEqualTo("inherited x");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			Missing         | names no method of
			OtherParameters | with the parameters of
			OtherResult     | returns java.lang.Object, but the locked method returns java.lang.String
			OtherException  | one more at the end for the exception: LockNotAcquiredException, LockBackendException
			Itself          | names no method of
			""")
	void aFallbackThatDoesNotFitFailsTheStart(String bean, String problem) {
		Class<?> type = ClassUtils.resolveClassName(getClass().getName() + "$" + bean, null);
		LockedApplication.of(type).assertRefused("@DistributedLock(fallback = \"" + "instead", type.getName(), problem);
	}

	abstract static class Base<T> {

		@DistributedLock(key = "'k'", fallback = "inheritedFallback")
		String inherited(T value) {
			return "ran";
		}

	}

	static class Stock extends Base<String> {

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

	static class Missing {

		@DistributedLock(fallback = "instead")
		void run(String id) {
		}

	}

	static class OtherParameters {

		@DistributedLock(fallback = "instead")
		void run(String id) {
		}

		void instead(Integer id) {
		}

	}

	static class OtherResult {

		@DistributedLock(fallback = "instead")
		@Nullable String run(String id) {
			return null;
		}

		@Nullable Object instead(String id) {
			return null;
		}

	}

	static class OtherException {

		@DistributedLock(fallback = "instead")
		void run() {
		}

		void instead(LockLostException lost) {
		}

	}

	static class Itself {

		@DistributedLock(fallback = "instead")
		void instead() {
		}

	}

}
