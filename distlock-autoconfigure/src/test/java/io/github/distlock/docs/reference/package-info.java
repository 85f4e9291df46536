/**
 * The names in the documentation exist, and the reference has all of them.
 */
@NullMarked
package io.github.distlock.docs.reference;

import org.jspecify.annotations.NullMarked;
