/**
 * The interface through which every lock is measured, those of distlock and those of
 * other libraries. Contains nothing of what is measured.
 */
@NullMarked
package io.github.distlock.benchmarks.contenders;

import org.jspecify.annotations.NullMarked;
