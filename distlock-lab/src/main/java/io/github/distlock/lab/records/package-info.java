/**
 * What a node did with the stock, as lines of JSON in a file: a node writes them with
 * {@code StockRecords}, and the lab reads them with {@code NodeTail}. Each line is
 * written at once, so that the records of a process that was killed are complete up to
 * its end.
 */
@NullMarked
package io.github.distlock.lab.records;

import org.jspecify.annotations.NullMarked;
