/**
 * The database, the Redis and the servers of other lock stores, which the lab starts
 * unless the user has named some, and what reads the stock from the database.
 */
@NullMarked
package io.github.distlock.lab.servers;

import org.jspecify.annotations.NullMarked;
