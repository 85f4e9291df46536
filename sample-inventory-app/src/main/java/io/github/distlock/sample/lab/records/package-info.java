/**
 * What a node did with the stock, as lines of JSON in a file: {@code StockRecords} is the
 * entry. Each line is written at once, so that the records of a process that was killed
 * are complete up to its end. The lab draws its picture of a run from these files.
 */
@NullMarked
package io.github.distlock.sample.lab.records;

import org.jspecify.annotations.NullMarked;
