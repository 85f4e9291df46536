@NullMarked
package io.github.distlock.context;

import org.jspecify.annotations.NullMarked;
