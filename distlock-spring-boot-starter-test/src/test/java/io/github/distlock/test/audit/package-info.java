/**
 * Tests of the audit. Its applications are in packages of their own.
 */
@NullMarked
package io.github.distlock.test.audit;

import org.jspecify.annotations.NullMarked;
