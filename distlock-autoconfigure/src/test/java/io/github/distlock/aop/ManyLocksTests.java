package io.github.distlock.aop;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.github.distlock.DistributedLock;
import io.github.distlock.HeldLock;
import io.github.distlock.LockBackendException;
import io.github.distlock.LockContext;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockLostException;
import io.github.distlock.LockMode;
import io.github.distlock.LockNotAcquiredException;
import io.github.distlock.LockRequest;
import io.github.distlock.OnFailure;
import io.github.distlock.aop.LockedApplication.Work;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.AutowireCandidateQualifier;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.annotation.AliasFor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.tuple;

/**
 * Tests methods with several keys and with several annotations, and which of several
 * registries provides a lock.
 */
class ManyLocksTests {

	private final AnnotationConfigApplicationContext context = LockedApplication.of(Stock.class).with((started) -> {
		started.registerBean("archive", InMemoryLocks.class);
		started.addBeanFactoryPostProcessor((beans) -> beans.getBeanDefinition("locks").setPrimary(true));
	}).start();

	private final Stock stock = this.context.getBean(Stock.class);

	private final InMemoryLocks locks = this.context.getBean("locks", InMemoryLocks.class);

	private final InMemoryLocks archive = this.context.getBean("archive", InMemoryLocks.class);

	@AfterEach
	void close() {
		this.context.close();
		assertThat(LockContext.all()).isEmpty();
	}

	@Test
	void allKeysAreAcquiredInOrderThenTheLeasesBeginAndAllAreReleasedInReverse() {
		this.stock.sell(this.locks, "c", "a", "c", "b");
		assertThat(this.locks.events).containsExactly("acquire a", "acquire b", "acquire c", "expire a PT10S",
				"expire b PT10S", "expire c PT10S", "run", "release c", "release b", "release a");
		assertThat(this.locks.requests).extracting(LockRequest::leaseTime).containsOnlyNulls();
		assertThat(this.locks.requests).extracting(LockRequest::waitTime)
			.isSortedAccordingTo((one, other) -> other.compareTo(one))
			.allMatch((wait) -> wait.compareTo(Duration.ofHours(2)) <= 0 && wait.toHours() >= 1);
	}

	@Test
	void oneKeyAmongManyIsLikeOneKey() {
		this.stock.sell(this.locks, "a");
		assertThat(this.locks.events).containsExactly("acquire a", "run", "release a");
		assertThat(this.locks.requests.get(0).leaseTime()).hasSeconds(10);
	}

	@Test
	void allLocksAreThoseOfTheContext() {
		assertThat(this.stock.context("b", "a")).extracting(HeldLock::key).containsExactly("b", "a");
	}

	@Test
	void acquiredLocksAreReleasedWhenOneIsNotAcquired() {
		this.locks.taken.add("b");
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> this.stock.sell(this.locks, "c", "a", "b"))
			.withMessageContaining("'b'");
		assertThat(this.locks.events).containsExactly("acquire a", "release a");
		this.locks.events.clear();
		assertThat(this.stock.context("a", "b")).isEmpty();
		assertThat(this.locks.events).containsExactly("acquire a", "release a");
	}

	@Test
	void theFallbackRunsAfterAllLocksAreReleased() {
		this.locks.taken.add("b");
		this.stock.fallingBack(this.locks, List.of("a", "b"));
		assertThat(this.locks.events).containsExactly("acquire a", "release a", "fallback");
	}

	@Test
	void acquiredLocksAreReleasedWhenAStoreFails() {
		LockBackendException down = new LockBackendException("down");
		this.locks.onRequest = (key) -> this.locks.failure = key.equals("b") ? down : null;
		assertThatException().isThrownBy(() -> this.stock.sell(this.locks, "a", "b")).isSameAs(down);
		assertThat(this.locks.events).containsExactly("acquire a", "release a");
	}

	@Test
	void aLockThatIsLostWhileTheCallWaitsForOthersStopsTheCall() {
		this.locks.onRequest = (key) -> this.locks.loseAll();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.stock.context("a", "b"))
			.withMessageContainingAll("'a' (token 1) was lost while the call of", "The method did not run");
		assertThat(this.locks.events).containsExactly("acquire a", "acquire b", "release b", "release a");
		assertThat(this.locks.abandoned).containsExactly("b", "a");
		assertThat(catchThrowable(() -> this.stock.stage("d", "c").get(10, TimeUnit.SECONDS)))
			.hasCauseInstanceOf(LockLostException.class)
			.hasMessageContaining("The method did not run");
		assertThat(this.locks.abandoned).containsExactly("b", "a", "d", "c");
	}

	@Test
	void locksAreAcquiredByRegistryThenKeyForEveryOrderOfAnnotations() {
		this.locks.onRequest = (key) -> this.locks.events.add("archive has " + this.archive.events.size());
		this.stock.forth();
		this.stock.back();
		assertThat(this.archive.events).containsExactly("acquire 9", "release 9", "acquire 9", "release 9");
		assertThat(this.locks.events).containsExactly("archive has 1", "acquire 1", "archive has 1", "acquire 2",
				"release 2", "release 1", "archive has 3", "acquire 1", "archive has 3", "acquire 2", "release 2",
				"release 1");
	}

	@Test
	void twoAnnotationsForOneLockAreMerged() {
		this.stock.twice();
		assertThat(this.locks.requests).containsExactly(LockRequest.of("same")
			.mode(LockMode.WRITE)
			.waitTime(Duration.ofSeconds(1))
			.leaseTime(Duration.ofSeconds(5))
			.name("first"));
	}

	@Test
	void aLeaseIsAsLongAsTheMinimumHoldTimeOfTheOtherAnnotation() {
		this.stock.longerThanTheOther();
		assertThat(this.locks.requests).extracting(LockRequest::leaseTime, LockRequest::minHold)
			.containsExactly(tuple(Duration.ofSeconds(10), Duration.ofSeconds(10)));
	}

	@Test
	void eachAnnotationHasItsOwnCondition() {
		this.stock.conditions(true);
		this.stock.conditions(false);
		assertThat(this.locks.keys()).containsExactly("always", "some", "always");
	}

	@Test
	void severalAnnotationsOfAMethodReplaceThoseOfItsClassAndAComposedOneJoinsThem() {
		this.stock.ofClass();
		this.stock.composed();
		assertThat(this.locks.keys()).containsExactly("class-1", "class-2", "composed", "written");
	}

	@Test
	void anErrorOfOneUnusedLockLeavesNoOtherLockHeld() {
		this.locks.taken.add("c");
		this.locks.onRelease = () -> {
			throw new NoClassDefFoundError("missing");
		};
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> this.stock.sell(this.locks, "a", "b", "c"));
		assertThat(this.locks.abandoned).containsExactly("b", "a");
	}

	@Test
	void aMethodIsLockedInTheRegistryThatItNames() {
		try (AnnotationConfigApplicationContext context = registries(Orders.class).with("orders.registry", "second")
			.start()) {
			Orders orders = context.getBean(Orders.class);
			orders.byDefault();
			orders.byQualifier();
			orders.byBeanName();
			orders.byPlaceholder();
			orders.composed();
			assertThat(keys(context, "first")).containsExactly("default");
			assertThat(keys(context, "two")).containsExactly("qualifier", "placeholder");
			assertThat(keys(context, "third")).containsExactly("name", "composed");
		}
	}

	@Test
	void anAnnotatedClassNamesOneForItsMethodsAndAMethodAnother() {
		try (AnnotationConfigApplicationContext context = registries(Payments.class).start()) {
			Payments payments = context.getBean(Payments.class);
			payments.pay();
			payments.look();
			assertThat(keys(context, "two")).containsExactly("payments");
			assertThat(keys(context, "first")).containsExactly("look");
		}
	}

	@Test
	void aBlankPlaceholderMeansTheDefault() {
		try (AnnotationConfigApplicationContext context = registries(Orders.class).with("orders.registry", " ")
			.start()) {
			context.getBean(Orders.class).byPlaceholder();
			assertThat(keys(context, "first")).containsExactly("placeholder");
		}
	}

	@Test
	void anUnknownRegistryFailsTheStartAndTheMessageNamesTheOthers() {
		registries(Unknown.class).assertRefused(
				"@DistributedLock(registry = \"zookeper\") on " + Unknown.class.getName() + ".run()",
				" names no LockRegistry bean, or several (No bean named 'zookeper' available: No matching LockRegistry bean",
				"write one of the names [first, two, second, third, four, twice, five, locks], enable the store "
						+ "with distlock.<store>.enabled=true, or leave registry out to use the default store");
	}

	@Test
	void anUnknownRegistryOfALazyBeanFailsItsCalls() {
		try (AnnotationConfigApplicationContext context = registries(Late.class).start()) {
			assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(context.getBean(Late.class)::run)
				.withMessageContaining("\"zookeper\"");
		}
	}

	@Test
	void aQualifierOfSeveralRegistriesFailsTheStart() {
		registries(Ambiguous.class).assertRefused("expected single matching bean but found 2");
	}

	@Test
	void whatTheStoreDoesNotSupportFailsTheStart() {
		registries(Fair.class).assertRefused(Fair.class.getName() + ".run()",
				" does not fit its store. the store 'memory' is not fair");
	}

	@ParameterizedTest
	@ValueSource(classes = { Unknown.class, Fair.class })
	void registriesAreNotLookedUpIfLocksAreDisabled(Class<?> bean) {
		registries(bean).with("enabled", false).start().close();
	}

	/**
	 * Five registries: their names, their qualifiers if they have one, and the third one
	 * keeps no order.
	 */
	private static LockedApplication registries(Class<?> bean) {
		return LockedApplication.of(bean)
			.with((context) -> Stream.of("first", "two second", "third", "four twice", "five twice")
				.map((names) -> names.split(" "))
				.forEach((names) -> context.registerBean(names[0], InMemoryLocks.class,
						() -> names[0].equals("third") ? new InMemoryLocks() {
						} : new InMemoryLocks(), (definition) -> {
							definition.setPrimary(names[0].equals("first"));
							if (names.length > 1) {
								((AbstractBeanDefinition) definition)
									.addQualifier(new AutowireCandidateQualifier(Qualifier.class, names[1]));
							}
						})));
	}

	private static String[] keys(AnnotationConfigApplicationContext context, String name) {
		return context.getBean(name, InMemoryLocks.class).keys();
	}

	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock("'composed'")
	@interface Composed {

	}

	@DistributedLock("'class-2'")
	@DistributedLock("'class-1'")
	static class Stock {

		@DistributedLock(key = "#ids", waitTime = "2h", leaseTime = "10s")
		public void sell(InMemoryLocks locks, String... ids) {
			locks.events.add("run");
		}

		@DistributedLock(key = "#ids", onFailure = OnFailure.SKIP)
		public List<HeldLock> context(String... ids) {
			assertThat(LockContext.current()).contains(LockContext.all().get(0));
			return LockContext.all();
		}

		@DistributedLock("#ids")
		public CompletableFuture<String> stage(String... ids) {
			throw new IllegalStateException("not to be run");
		}

		@DistributedLock(key = "#ids", fallback = "fellBack")
		public void fallingBack(InMemoryLocks locks, List<String> ids) {
			throw new IllegalStateException();
		}

		private void fellBack(InMemoryLocks locks, List<String> ids) {
			locks.events.add("fallback");
		}

		@DistributedLock("'2'")
		@DistributedLock(key = "'9'", registry = "archive")
		@DistributedLock("'1'")
		public void forth() {
		}

		@DistributedLock(key = "'1'", registry = "locks")
		@DistributedLock("'2'")
		@DistributedLock(key = "'9'", registry = "archive")
		public void back() {
		}

		@DistributedLock(key = "'same'", mode = LockMode.WRITE, name = "first", waitTime = "1s", leaseTime = "10s")
		@DistributedLock(key = "'same'", mode = LockMode.READ, name = "second", waitTime = "3s", leaseTime = "5s",
				registry = "locks")
		public void twice() {
		}

		@DistributedLock(key = "'longer'", leaseTime = "1s")
		@DistributedLock(key = "'longer'", minHold = "10s")
		public void longerThanTheOther() {
		}

		@DistributedLock(key = "'some'", condition = "#some")
		@DistributedLock("'always'")
		public void conditions(boolean some) {
		}

		public void ofClass() {
		}

		@Composed
		@DistributedLock("'written'")
		public void composed() {
		}

	}

	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock(registry = "third")
	@interface InTheThird {

		@AliasFor(annotation = DistributedLock.class, attribute = "key")
		String value();

	}

	static class Orders {

		@DistributedLock("'default'")
		void byDefault() {
		}

		@DistributedLock(key = "'qualifier'", registry = "second")
		void byQualifier() {
		}

		@DistributedLock(key = "'name'", registry = "third")
		void byBeanName() {
		}

		@DistributedLock(key = "'placeholder'", registry = "${orders.registry}")
		void byPlaceholder() {
		}

		@InTheThird("'composed'")
		void composed() {
		}

	}

	@DistributedLock(key = "'payments'", registry = "second")
	static class Payments {

		public void pay() {
		}

		@DistributedLock("'look'")
		public void look() {
		}

	}

	@DistributedLock(registry = "zookeper")
	static class Unknown extends Work {

	}

	@Lazy
	static class Late extends Unknown {

	}

	@DistributedLock(registry = "twice")
	static class Ambiguous extends Work {

	}

	@DistributedLock(fair = true, registry = "third")
	static class Fair extends Work {

	}

}
