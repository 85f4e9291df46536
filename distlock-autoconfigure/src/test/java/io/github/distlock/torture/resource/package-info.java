/**
 * The resource that the locks protect: a server that refuses outdated fencing tokens.
 */
@NullMarked
package io.github.distlock.torture.resource;

import org.jspecify.annotations.NullMarked;
