/**
 * Tests of the smoke application, on two nodes and on real servers. Each combination that
 * was run can write its row of docs/compatibility.md.
 */
@NullMarked
package io.github.distlock.smoke;

import org.jspecify.annotations.NullMarked;
