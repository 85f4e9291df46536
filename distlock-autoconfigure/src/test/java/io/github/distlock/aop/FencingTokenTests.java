package io.github.distlock.aop;

import java.util.List;

import io.github.distlock.DistributedLock;
import io.github.distlock.FencingToken;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockMode;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.support.AopUtils;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Tests parameters that receive the fencing token.
 */
@ExtendWith(OutputCaptureExtension.class)
class FencingTokenTests {

	/** The token of {@link InMemoryLocks}. */
	private static final long TOKEN = 1;

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void theParameterReceivesTheTokenBehindBothKindsOfProxies(boolean classProxies) {
		LockedApplication application = LockedApplication.of(Sales.class);
		(classProxies ? application.withClassProxies() : application).call(Shop.class, (shop) -> {
			assertThat(AopUtils.isJdkDynamicProxy(shop)).isEqualTo(!classProxies);
			assertThat(shop.onClass("a", -1)).isEqualTo(TOKEN);
			assertThat(shop.onInterface(null, "a")).isEqualTo(TOKEN);
		});
	}

	@Test
	void withoutALockTheTokenIsZero() {
		try (AnnotationConfigApplicationContext context = LockedApplication.of(Stock.class).start()) {
			Stock stock = context.getBean(Stock.class);
			assertThat(stock.conditional(false, 7)).isZero();
			assertThat(stock.conditional(true, 7)).isEqualTo(TOKEN);
			context.getBean(InMemoryLocks.class).taken.add("k");
			assertThat(stock.conditional(true, 7)).isEqualTo(-1);
		}
	}

	@Test
	void ifLocksAreDisabledTheTokenIsThatOfTheRegistryWhichLocksNothing() {
		LockedApplication.of(Stock.class)
			.with("enabled", false)
			.call(Stock.class, (stock) -> assertThat(stock.conditional(false, 7)).isEqualTo(TOKEN));
	}

	@Test
	void severalKeysHaveNoCommonToken() {
		LockedApplication.of(Stock.class).call(Stock.class, (stock) -> {
			assertThat(stock.many(List.of("a"), 0L)).isEqualTo(TOKEN);
			assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> stock.many(List.of("a", "b"), 0L))
				.withMessageContaining("was called for 2 keys, but has a @FencingToken parameter");
		});
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			OtherType   | has a @FencingToken parameter of type int: make it a long
			InKey       | uses #p0, which is the @FencingToken of the lock
			InCondition | uses #token, which is the @FencingToken of the lock
			WithPermits | has a @FencingToken parameter and permits
			""")
	void anInvalidTokenParameterFailsTheStart(String bean, String problem) {
		Class<?> type = ClassUtils.resolveClassName(getClass().getName() + "$" + bean, null);
		assertThat(catchThrowable(() -> LockedApplication.of(type).start().close())).hasStackTraceContaining(problem)
			.hasStackTraceContaining(type.getName());
	}

	@Test
	void aReaderWithATokenIsWarned(CapturedOutput output) {
		LockedApplication.of(OfReaders.class).start().close();
		assertThat(output)
			.containsPattern("WARN.*OfReaders[.]run\\(long\\) has a @FencingToken parameter in mode READ");
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

	static class Stock {

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

	}

	static class OtherType {

		@DistributedLock
		void run(@FencingToken int token) {
		}

	}

	static class InKey {

		@DistributedLock("#p0")
		void run(@FencingToken long token) {
		}

	}

	static class InCondition {

		@DistributedLock(condition = "#token > 1")
		void run(@FencingToken long token) {
		}

	}

	static class WithPermits {

		@DistributedLock(permits = "2")
		void run(@FencingToken long token) {
		}

	}

	static class OfReaders {

		@DistributedLock(mode = LockMode.READ)
		long run(@FencingToken long token) {
			return token;
		}

	}

}
