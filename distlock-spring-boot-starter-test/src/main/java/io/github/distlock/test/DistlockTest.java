package io.github.distlock.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.autoconfigure.OverrideAutoConfiguration;
import org.springframework.boot.test.context.filter.annotation.TypeExcludeFilters;
import org.springframework.context.annotation.ComponentScan.Filter;
import org.springframework.core.annotation.AliasFor;
import org.springframework.test.context.BootstrapWith;
import org.springframework.test.context.junit.jupiter.SpringExtension;

/**
 * Test slice for locks: starts the components that have
 * {@link io.github.distlock.DistributedLock @DistributedLock} methods, with real locks in
 * a store that the test controls through a {@link TestLocks} bean. The test provides the
 * dependencies of those components, with {@code @MockitoBean} or {@code @Import}. To test
 * more of the application, use {@link AutoConfigureTestLocks @AutoConfigureTestLocks}
 * beside {@code @SpringBootTest}.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@BootstrapWith(DistlockTestContextBootstrapper.class)
@ExtendWith(SpringExtension.class)
@OverrideAutoConfiguration(enabled = false)
@TypeExcludeFilters(DistlockTypeExcludeFilter.class)
@AutoConfigureTestLocks
@ImportAutoConfiguration
public @interface DistlockTest {

	/**
	 * The components to start; empty (the default) means all that have annotated methods.
	 * @return classes that component scanning finds
	 */
	Class<?>[] value() default {};

	/**
	 * Properties in the form {@literal key=value}, added to the environment.
	 * @return the properties
	 */
	String[] properties() default {};

	/**
	 * Whether {@link #value()} selects the components; otherwise only the filters do.
	 * @return whether to use the default filters
	 */
	boolean useDefaultFilters() default true;

	/**
	 * Filters for additional components to start.
	 * @return the filters
	 */
	Filter[] includeFilters() default {};

	/**
	 * Filters for components that are not started.
	 * @return the filters
	 */
	Filter[] excludeFilters() default {};

	/**
	 * Auto-configurations that are not used.
	 * @return their classes
	 */
	@AliasFor(annotation = ImportAutoConfiguration.class, attribute = "exclude")
	Class<?>[] excludeAutoConfiguration() default {};

}
