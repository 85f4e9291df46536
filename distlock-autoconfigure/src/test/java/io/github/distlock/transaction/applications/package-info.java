/**
 * Applications with a transaction manager of their own, started as a user starts them.
 */
@NullMarked
package io.github.distlock.transaction.applications;

import org.jspecify.annotations.NullMarked;
