/**
 * The watchdog: renews the leases of held locks and reports their loss. No other package
 * schedules renewals. Only the registry package calls it.
 */
@NullMarked
package io.github.distlock.renewal;

import org.jspecify.annotations.NullMarked;
