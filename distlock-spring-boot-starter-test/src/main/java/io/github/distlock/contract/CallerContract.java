package io.github.distlock.contract;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Objects;
import java.util.Set;

import io.github.distlock.backend.BackendDescription;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.contract.ContractTests.WholeStore;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.ResourceLocksProvider;

/**
 * The part of the contract that callers see: exclusion, waiting, giving up, and the
 * refusal of what the store does not offer. Of a store whose locks are not those of the
 * registry on its backend, such as one whose locks are transactions, this is the whole
 * contract; see {@link StoreUnderTest#callers}.
 * <p>
 * Each test has a key, JVMs and threads of its own. Where JUnit's parallel execution is
 * enabled, tests run side by side: most of them wait for leases to expire.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock(providers = CallerContract.StoreLocks.class)
public abstract class CallerContract implements ExclusionContract, WaitingContract, GiveUpContract, RefusalContract {

	// Tests use their stage on threads that they start.
	private final InheritableThreadLocal<@Nullable Stage> stage = new InheritableThreadLocal<>();

	private @Nullable StoreUnderTest store;

	private @Nullable BackendDescription description;

	/**
	 * Start the server. Called once for all tests of the class. Use JUnit's {@code
	 * Assumptions} if something is missing on this machine.
	 * @return the store, which the contract closes
	 */
	protected abstract StoreUnderTest openStore();

	@BeforeAll
	final void open() {
		this.store = openStore();
		this.store.clear();
		this.description = this.store.newBackend(TimeSource.SYSTEM).description();
	}

	@AfterAll
	final void close() {
		if (this.store != null) {
			this.store.close();
		}
	}

	@BeforeEach
	final void setStage(TestInfo test) {
		if (test.getTestMethod().filter((method) -> method.isAnnotationPresent(WholeStore.class)).isPresent()) {
			store().clear();
		}
		this.stage.set(new Stage(store(), Objects.requireNonNull(this.description)));
	}

	@AfterEach
	final void clearStage() {
		stage().close();
		this.stage.remove();
	}

	/**
	 * Return the running store.
	 * @return what {@link #openStore()} returned
	 */
	@Override
	public final StoreUnderTest store() {
		if (this.store == null) {
			throw new IllegalStateException("The store is not open");
		}
		return this.store;
	}

	@Override
	public final Stage stage() {
		Stage stage = this.stage.get();
		if (stage == null) {
			throw new IllegalStateException("The stage exists only during a test");
		}
		return stage;
	}

	/**
	 * Lets the tests of one contract class share its store, except those that need the
	 * {@link WholeStore}.
	 */
	static final class StoreLocks implements ResourceLocksProvider {

		@Override
		public Set<Lock> provideForMethod(List<Class<?>> enclosingInstanceTypes, Class<?> testClass,
				Method testMethod) {
			ResourceAccessMode mode = testMethod.isAnnotationPresent(WholeStore.class) ? ResourceAccessMode.READ_WRITE
					: ResourceAccessMode.READ;
			return Set.of(new Lock("store of " + testClass.getName(), mode));
		}

	}

}
