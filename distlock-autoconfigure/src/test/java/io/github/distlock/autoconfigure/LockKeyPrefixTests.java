package io.github.distlock.autoconfigure;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Lock;
import java.util.function.Supplier;

import io.github.distlock.DistributedLock;
import io.github.distlock.HeldLock;
import io.github.distlock.LockAssert;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockException;
import io.github.distlock.LockKeyPrefix;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.integration.IntegrationLockRegistry;
import io.github.distlock.registry.BackendLockRegistry;
import io.github.distlock.registry.CompositeLockRegistry;
import io.github.distlock.registry.PrefixedLockRegistry;
import io.github.distlock.registry.RegistrySnapshot.HeldLockSnapshot;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.Exceptions;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests a bean that puts the tenant of the calling thread before each key.
 */
class LockKeyPrefixTests {

	private static final ThreadLocal<@Nullable String> TENANT = new ThreadLocal<>();

	private final ApplicationContextRunner application = Contexts.local("distlock.wait-time=0s")
		.withBean(LockKeyPrefix.class, () -> (key) -> prefix())
		.withBean(Work.class);

	/** The tenant of this name has no prefix, against the contract. */
	@SuppressWarnings("NullAway")
	private static String prefix() {
		String tenant = Objects.requireNonNull(TENANT.get(), "no tenant");
		return tenant.equals("null") ? null : tenant;
	}

	@AfterEach
	void leaveTheTenant() {
		TENANT.remove();
	}

	@ParameterizedTest
	@EnumSource
	void onlyTheLocksOfOneTenantExcludeEachOther(Way way) {
		this.application.run((context) -> {
			try (HeldLock lock = rival(context, "ann", "stock")) {
				assertThat(lock.key()).isEqualTo("stock");
				assertThat(under("ann", () -> way.isAcquired(context))).isFalse();
				assertThat(under("bob", () -> way.isAcquired(context))).isTrue();
			}
			assertThat(under("ann", () -> way.isAcquired(context))).isTrue();
			assertThat(backend(context).snapshot().held()).isEmpty();
		});
	}

	@ParameterizedTest
	@EnumSource
	void aPrefixWithTheSeparatorOrNullIsRefusedAndAnExceptionOfTheBeanReachesTheCaller(Way way) {
		this.application.run((context) -> {
			assertThatExceptionOfType(NullPointerException.class).isThrownBy(() -> way.isAcquired(context))
				.withMessage("no tenant");
			String remedy = "have the LockKeyPrefix bean return a text without ':', or the empty text";
			TENANT.set("ann:bob");
			assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> way.isAcquired(context))
				.withMessage("The prefix of lock 'stock' is 'ann:bob', which contains ':', the separator between prefix"
						+ " and key: " + remedy);
			TENANT.set("null");
			assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> way.isAcquired(context))
				.withMessage("The prefix of lock 'stock' is null: " + remedy);
		});
	}

	@Test
	void prefixAndKeyDoNotRunIntoEachOther() {
		this.application.run((context) -> {
			try (HeldLock lock = rival(context, "a", "bc");
					HeldLock other = rival(context, "ab", "c");
					HeldLock third = rival(context, "a", "b:c");
					HeldLock none = rival(context, "", "a:bc")) {
				assertThat(backend(context).snapshot().held()).extracting(HeldLockSnapshot::key)
					.containsExactlyInAnyOrder("a:bc", "ab:c", "a:b:c", ":a:bc");
				assertThat(third.key()).isEqualTo("b:c");
			}
		});
	}

	@Test
	void aStartThatFailsShutsTheRegistryDown() {
		AtomicReference<BackendLockRegistry> created = new AtomicReference<>();
		this.application
			.withInitializer((start) -> start.getBeanFactory().addBeanPostProcessor(new BeanPostProcessor() {

				@Override
				public Object postProcessAfterInitialization(Object bean, String name) {
					if (bean instanceof Work) {
						LockRegistry registry = start.getBeanFactory().getBean(LockRegistry.class);
						created.set((BackendLockRegistry) ((PrefixedLockRegistry) registry).registry());
						assertThat(created.get().isRunning()).isTrue();
						throw new IllegalStateException("a bean that fails");
					}
					return bean;
				}

			}))
			.run((context) -> {
				assertThat(context).getFailure().rootCause().hasMessage("a bean that fails");
				assertThat(created.get().isRunning()).isFalse();
			});
	}

	@Test
	void aBlankKeyStaysRefused() {
		this.application.run((context) -> assertThatExceptionOfType(LockDefinitionException.class)
			.isThrownBy(() -> under("ann", () -> context.getBean(LockRegistry.class).acquire(LockRequest.of(" "))))
			.withMessageContaining("is blank"));
	}

	@Test
	void unlockFindsTheLockOfTheThreadAfterTheTenantHasChanged() {
		this.application.run((context) -> {
			Lock view = context.getBean(LockRegistry.class).obtain("stock");
			under("ann", () -> {
				view.lock();
				view.lock();
				return view;
			});
			view.unlock();
			under("bob", () -> {
				view.unlock();
				return view;
			});
			assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(view::unlock);
			assertThat(backend(context).snapshot().held()).isEmpty();
		});
	}

	@Test
	void unlockTakesTheLockOfTheTenantIfItsThreadHoldsSeveral() {
		this.application.run((context) -> {
			Lock view = context.getBean(LockRegistry.class).obtain("stock");
			Lock longer = context.getBean(LockRegistry.class).obtain("a:stock");
			assertThat(under("ann", () -> view.tryLock())).isTrue();
			assertThat(under("bob", () -> view.tryLock())).isTrue();
			assertThatExceptionOfType(IllegalMonitorStateException.class)
				.isThrownBy(() -> context.getBean(LockRegistry.class).obtain("ann:stock").unlock());
			assertThat(under("ann", () -> longer.tryLock())).isTrue();
			assertThatExceptionOfType(IllegalMonitorStateException.class)
				.isThrownBy(() -> under("eve", unlocking(view)));
			under("ann", unlocking(view));
			assertThat(backend(context).snapshot().held()).extracting(HeldLockSnapshot::key)
				.containsExactlyInAnyOrder("bob:stock", "ann:a:stock");
			view.unlock();
			longer.unlock();
			assertThat(backend(context).snapshot().held()).isEmpty();
		});
	}

	@Test
	void aCompositeAsksOnceOnTheThreadOfTheCaller() {
		this.application.run((first) -> this.application.run((second) -> {
			LockRegistry both = new PrefixedLockRegistry(new CompositeLockRegistry(backend(first), backend(second),
					Duration.ofSeconds(10), TimeSource.SYSTEM), first.getBean(LockKeyPrefix.class));
			CompletableFuture<HeldLock> waiting;
			try (HeldLock lock = rival(first, "ann", "stock")) {
				waiting = under("ann", () -> both.acquireAsync(LockRequest.of("stock")));
				assertThat(waiting).isNotDone();
			}
			try (HeldLock lock = waiting.join()) {
				assertThat(lock.key()).isEqualTo("stock");
				assertThat(backend(second).snapshot().held()).extracting(HeldLockSnapshot::key)
					.containsExactly("ann:stock");
			}
			assertThat(both.acquireAsync(LockRequest.of("stock"))).isCompletedExceptionally();
		}));
	}

	@Test
	void severalPrefixesAreAnError() {
		Contexts.assertRefused(this.application.withBean("other", LockKeyPrefix.class, () -> (key) -> ""),
				"LockKeyPrefix");
	}

	@Test
	void aRequestWithItsPrefixIsNotGivenAnother() {
		LockRequest request = LockRequest.of("stock").prefixed((key) -> "ann");
		assertThat(request.prefixed((key) -> "bob")).isSameAs(request);
		assertThat(request.key()).isEqualTo("ann:stock");
		assertThat(request.waitTime(Duration.ZERO).keyWithoutPrefix()).isEqualTo("stock");
		assertThat(request.key("order").prefixed((key) -> "bob").key()).isEqualTo("bob:order");
	}

	private static BackendLockRegistry backend(ApplicationContext context) {
		return (BackendLockRegistry) context.getBean(PrefixedLockRegistry.class).registry();
	}

	private static <T> T under(String tenant, Supplier<T> work) {
		String outer = TENANT.get();
		TENANT.set(tenant);
		try {
			return work.get();
		}
		finally {
			TENANT.set(outer);
		}
	}

	private static Supplier<Lock> unlocking(Lock view) {
		return () -> {
			view.unlock();
			return view;
		};
	}

	private static HeldLock rival(ApplicationContext context, String tenant, String key) {
		return CompletableFuture
			.supplyAsync(() -> under(tenant, () -> context.getBean(LockRegistry.class).acquire(LockRequest.of(key))))
			.join();
	}

	/** How code acquires the lock "stock". */
	enum Way {

		BLOCKING((context) -> context.getBean(Work.class).blocking()),

		SEVERAL((context) -> context.getBean(Work.class).several()),

		STAGE((context) -> context.getBean(Work.class).stage().join()),

		/** The tenant at its assembly does not count. */
		MONO((context) -> {
			Mono<String> mono = under("another", () -> context.getBean(Work.class).mono());
			mono.block();
		}),

		REGISTRY((context) -> registry(context).acquire(LockRequest.of("stock")).close()),

		TRIED((context) -> registry(context).tryAcquire(LockRequest.of("stock")).orElseThrow(Refused::new).close()),

		RUN((context) -> registry(context).execute(LockRequest.of("stock"), () -> "done")),

		FUTURE((context) -> registry(context).acquireAsync(LockRequest.of("stock")).join().close()),

		/** The tenant of the moment when the view was obtained does not count. */
		VIEW((context) -> {
			Lock view = under("another", () -> registry(context).obtain("stock"));
			lockAndUnlock(view);
		}),

		INTEGRATION((context) -> lockAndUnlock(new IntegrationLockRegistry(registry(context)).obtain("stock")));

		private final Attempt attempt;

		Way(Attempt attempt) {
			this.attempt = attempt;
		}

		boolean isAcquired(ApplicationContext context) {
			try {
				this.attempt.in(context);
				return true;
			}
			catch (LockDefinitionException ex) {
				throw ex;
			}
			catch (LockException | Refused ex) {
				return false;
			}
			catch (Exception ex) {
				Throwable cause = (ex instanceof CompletionException) ? ex.getCause() : Exceptions.unwrap(ex);
				if (cause instanceof LockException && !(cause instanceof LockDefinitionException)) {
					return false;
				}
				throw (RuntimeException) cause;
			}
		}

		private static LockRegistry registry(ApplicationContext context) {
			return context.getBean(LockRegistry.class);
		}

		private static void lockAndUnlock(Lock lock) {
			if (!lock.tryLock()) {
				throw new Refused();
			}
			lock.unlock();
		}

	}

	private interface Attempt {

		void in(ApplicationContext context) throws Exception;

	}

	@SuppressWarnings("serial")
	private static final class Refused extends RuntimeException {

	}

	static class Work {

		@DistributedLock("'stock'")
		public void blocking() {
			LockAssert.assertLocked("stock");
		}

		@DistributedLock("{'stock', 'stock-2'}")
		public void several() {
			LockAssert.assertLocked("stock");
			LockAssert.assertLocked("stock-2");
		}

		@DistributedLock("'stock'")
		public CompletableFuture<String> stage() {
			LockAssert.assertLocked("stock");
			return CompletableFuture.completedFuture("done");
		}

		@DistributedLock("'stock'")
		public Mono<String> mono() {
			LockAssert.assertLocked("stock");
			return Mono.just("done");
		}

	}

}
