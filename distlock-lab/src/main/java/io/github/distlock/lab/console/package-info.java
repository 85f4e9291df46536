/**
 * What the user reads on the console: options, progress and reports.
 */
@NullMarked
package io.github.distlock.lab.console;

import org.jspecify.annotations.NullMarked;
