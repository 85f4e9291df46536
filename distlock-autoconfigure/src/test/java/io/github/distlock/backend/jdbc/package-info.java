@NullMarked
package io.github.distlock.backend.jdbc;

import org.jspecify.annotations.NullMarked;
