/**
 * Compares what users compile and configure against with committed texts: public
 * signatures, names of the endpoint's answers, and configuration properties. The page
 * docs/versioning.md says what is API.
 */
@NullMarked
package io.github.distlock.api;

import org.jspecify.annotations.NullMarked;
