/**
 * Connects locks and transactions: the commit guard, the fence, locks that are
 * transactions, and the release of locks after the completion of a transaction. Used by
 * the interceptor and the auto-configuration.
 */
@NullMarked
package io.github.distlock.transaction;

import org.jspecify.annotations.NullMarked;
