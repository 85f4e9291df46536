package io.github.distlock.contract;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;

/**
 * The whole contract of a lock store, on one server: a store's test class extends it and
 * says how to open the store. What a store says it cannot do is skipped by name, or its
 * refusal is tested.
 * <p>
 * The tests are default methods of the interfaces, one for each theme: so they are
 * reported under the name of the store's own class.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class LockStoreContract implements LockBackendContract, LockRegistryContract {

	private @Nullable StoreUnderTest store;

	private @Nullable Stage stage;

	/**
	 * Start the server. Called once for all tests of the class. Use JUnit's
	 * {@code Assumptions} when something is missing on this machine.
	 * @return the store, closed by the contract
	 */
	protected abstract StoreUnderTest openStore();

	@BeforeAll
	final void open() {
		this.store = openStore();
	}

	@AfterAll
	final void close() {
		if (this.store != null) {
			this.store.close();
		}
	}

	@BeforeEach
	final void setStage() {
		store().clear();
		this.stage = new Stage(store());
	}

	@AfterEach
	final void clearStage() {
		stage().close();
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
		if (this.stage == null) {
			throw new IllegalStateException("There is a stage within a test only");
		}
		return this.stage;
	}

}
