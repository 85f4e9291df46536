/**
 * What the annotation itself costs, by JMH, without a store.
 */
@NullMarked
package io.github.distlock.benchmarks.annotation;

import org.jspecify.annotations.NullMarked;
