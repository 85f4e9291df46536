/**
 * {@link io.github.distlock.test.audit.AuditLocks @AuditLocks}: watches the statements
 * and the locks of a test class, and reports code that forgot a lock. Statements reach
 * {@link io.github.distlock.test.audit.LockAudit} from the proxies of
 * {@code WatchedDataSources}, locks as events of a listener. May use the public API of
 * the library, Spring and JDBC; spring-tx is present wherever statements are.
 */
@NullMarked
package io.github.distlock.test.audit;

import org.jspecify.annotations.NullMarked;
