/**
 * Access of tests to the audit.
 */
@NullMarked
package io.github.distlock.test.audit;

import org.jspecify.annotations.NullMarked;
