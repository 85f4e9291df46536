/**
 * Tests of the package.
 */
@NullMarked
package io.github.distlock.lab.servers;

import org.jspecify.annotations.NullMarked;
