/**
 * What a lock and a transaction have to do with each other: the commit guard, and release
 * after completion.
 */
@NullMarked
package io.github.distlock.transaction;

import org.jspecify.annotations.NullMarked;
