/**
 * Tests of the contract kit.
 */
@NullMarked
package io.github.distlock.contract;

import org.jspecify.annotations.NullMarked;
