/**
 * What a lock costs a transaction, by JMH.
 */
@NullMarked
package io.github.distlock.benchmarks.transaction;

import org.jspecify.annotations.NullMarked;
