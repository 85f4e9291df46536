package io.github.distlock.test.audit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Reports code that forgot a lock: watches the statements of each {@code DataSource} bean
 * of a context test, such as {@code @SpringBootTest}, and the locks under which they run.
 * The class at whose end a finding is new fails, once for each finding. One call of each
 * method on one thread is enough. Classes that share an application context are judged
 * together.
 * <p>
 * {@link io.github.distlock.Unguarded @Unguarded} on a method or class of the application
 * or of the test allows an exception. R2DBC is not watched. The line
 * {@code distlock.audit=true} in a file {@code spring.properties} on the class path of
 * the tests switches the audit on for all classes.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
public @interface AuditLocks {

}
