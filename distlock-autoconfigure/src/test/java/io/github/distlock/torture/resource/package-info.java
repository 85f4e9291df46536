/**
 * What the locks protect: a server that refuses fencing tokens older than the newest it
 * has seen.
 */
@NullMarked
package io.github.distlock.torture.resource;

import org.jspecify.annotations.NullMarked;
