package io.github.distlock.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;

/**
 * Replaces every lock store of the application by one in memory, which the test controls
 * through a {@link TestLocks} bean.
 * <p>
 * Use it beside {@code @SpringBootTest}, {@code @DataJpaTest} and others, for tests that
 * start more than locks. Such tests then need no Redis, database or ZooKeeper for their
 * locks. Locks work as in production, under the names of the backends that
 * {@code distlock.backend}, {@code distlock.composite} and
 * {@code distlock.<backend>.enabled} enable.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@ImportAutoConfiguration
public @interface AutoConfigureTestLocks {

}
