@NullMarked
package io.github.distlock.backend.redlock;

import org.jspecify.annotations.NullMarked;
