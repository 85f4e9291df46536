/**
 * What an application gets, from class path, properties and beans.
 */
@NullMarked
package io.github.distlock.autoconfigure;

import org.jspecify.annotations.NullMarked;
