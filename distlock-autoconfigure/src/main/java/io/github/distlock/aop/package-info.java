/**
 * From an annotated method to a locked call: annotation, definition record, key, request,
 * registry. Never sees a store.
 */
@NullMarked
package io.github.distlock.aop;

import org.jspecify.annotations.NullMarked;
