package io.github.distlock.autoconfigure;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.context.annotation.Conditional;

/**
 * Matches when a store is enabled: {@code distlock.backend} or {@code distlock.composite}
 * names it, or {@code distlock.<store>.enabled} is true. It never matches when the
 * application has a {@link io.github.distlock.LockRegistry} of its own, and for the store
 * of {@code distlock.backend} not when it has a
 * {@link io.github.distlock.backend.LockBackend} of its own.
 * <p>
 * Goes on the one auto-configuration of a store, which comes before
 * {@link DistlockAutoConfiguration} and has, lazy, a bean
 * {@code distlock<Store>LockBackend} and, if the store has an address, a bean
 * {@code distlock<Store>LockStoreLocation}; both qualified by the name of the store. The
 * registry is made from them.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Conditional(OnBackendCondition.class)
@interface ConditionalOnBackend {

	/**
	 * The store.
	 * @return the store
	 */
	Backend value();

}
