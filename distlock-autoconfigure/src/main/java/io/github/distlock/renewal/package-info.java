/**
 * The watchdog and lost leases: the only room that schedules renewals. The registry room
 * calls it.
 */
@NullMarked
package io.github.distlock.renewal;

import org.jspecify.annotations.NullMarked;
