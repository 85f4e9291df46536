/**
 * Writes the page with all attributes, properties, meters and exceptions from the code.
 */
@NullMarked
package io.github.distlock.docs.reference;

import org.jspecify.annotations.NullMarked;
