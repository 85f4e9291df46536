/**
 * Locks methods into which AspectJ has woven the lock. Holds the aspect and leads each
 * call to the application that the called object belongs to. Knows no annotations' values
 * and no registry: the package {@code aop} hands it an interceptor.
 */
@NullMarked
package io.github.distlock.aop.weaving;

import org.jspecify.annotations.NullMarked;
