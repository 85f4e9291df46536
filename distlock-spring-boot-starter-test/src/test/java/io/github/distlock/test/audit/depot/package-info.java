/**
 * An application with planted faults, in the classes {@code …Faults}, and with code that
 * locks what it must in each way that is right.
 */
@NullMarked
package io.github.distlock.test.audit.depot;

import org.jspecify.annotations.NullMarked;
