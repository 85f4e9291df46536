package io.github.distlock.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;

/**
 * Replaces every lock store of the application by one in memory that the test controls
 * through a {@link TestLocks} bean. For tests that start more than locks: beside
 * {@code @SpringBootTest}, {@code @DataJpaTest} and others, which need no Redis, database
 * or ZooKeeper for their locks then. Locks work as in production, under the names of the
 * stores that {@code distlock.backend} and its kin enable.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@ImportAutoConfiguration
public @interface AutoConfigureTestLocks {

}
