/**
 * From measurements to medians, paired ratios, tables and charts.
 */
@NullMarked
package io.github.distlock.benchmarks.report;

import org.jspecify.annotations.NullMarked;
