package io.github.distlock.aop;

import java.util.List;
import java.util.function.Supplier;

import io.github.distlock.DistributedLock;
import io.github.distlock.LockBackendException;
import io.github.distlock.LockFailure;
import io.github.distlock.LockFailureHandler;
import io.github.distlock.LockNotAcquiredException;
import io.github.distlock.OnFailure;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests the {@code LockFailureHandler} of an application.
 */
class LockFailureHandlerTests {

	private Supplier<@Nullable Object> answer = () -> null;

	private @Nullable LockFailure handled;

	private final LockFailureHandler handler = (failure) -> {
		this.handled = failure;
		return this.answer.get();
	};

	@AutoClose
	private final AnnotationConfigApplicationContext context = LockedApplication.of(Stock.class)
		.with((context) -> context.registerBean("handler", LockFailureHandler.class, () -> this.handler))
		.start();

	private final Stock stock = this.context.getBean(Stock.class);

	private final InMemoryLocks locks = this.context.getBean(InMemoryLocks.class);

	@Test
	void theHandlerDecidesForMethodsWithoutAPolicy() {
		this.locks.taken.add("k");
		this.answer = () -> "handled";
		assertThat(this.stock.text()).isEqualTo("handled");
		assertThat(this.handled).isNotNull().satisfies((failure) -> {
			assertThat(failure.method().getName()).isEqualTo("text");
			assertThat(failure.name()).isEqualTo("label");
			assertThat(failure.keys()).containsExactly("k");
			assertThat(failure.exception()).isInstanceOf(LockNotAcquiredException.class);
		});
	}

	@Test
	void theExceptionOfTheHandlerReachesTheCaller() {
		this.locks.taken.add("k");
		IllegalStateException mine = new IllegalStateException("mine");
		this.answer = () -> {
			throw mine;
		};
		assertThatException().isThrownBy(this.stock::text).isSameAs(mine);
	}

	@Test
	void theHandlerIsNotCalledForMethodsWithAPolicy() {
		this.locks.taken.add("k");
		assertThat(this.stock.skipped()).isNull();
		assertThat(this.stock.fallingBack()).isEqualTo("instead");
		assertThat(this.handled).isNull();
	}

	@Test
	void aHandlerWithoutAMethodForAFailingStoreLetsTheCallFail() {
		this.locks.failure = new LockBackendException("down");
		assertThatException().isThrownBy(this.stock::text).isSameAs(this.locks.failure);
		assertThat(this.handled).isNull();
	}

	@Test
	void severalHandlersFailTheStartUnlessOneIsPrimary() {
		LockedApplication application = LockedApplication.of(Stock.class)
			.with((context) -> List.of("one", "two")
				.forEach((name) -> context.registerBean(name, LockFailureHandler.class, () -> this.handler)));
		assertThatExceptionOfType(NoUniqueBeanDefinitionException.class).isThrownBy(application::start);
		application.with((context) -> context.getBeanDefinition("two").setPrimary(true)).start().close();
	}

	static class Stock {

		@DistributedLock(key = "'k'", name = "label")
		@Nullable String text() {
			return "ran";
		}

		@DistributedLock(key = "'k'", onFailure = OnFailure.SKIP)
		@Nullable String skipped() {
			return "ran";
		}

		@DistributedLock(key = "'k'", fallback = "instead")
		String fallingBack() {
			return "ran";
		}

		String instead() {
			return "instead";
		}

	}

}
