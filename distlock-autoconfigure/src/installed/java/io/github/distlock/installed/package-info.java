/**
 * What tests of all modules know of programs that Maven cannot bring. Compiled with the
 * tests of each module that needs it.
 */
@NullMarked
package io.github.distlock.installed;

import org.jspecify.annotations.NullMarked;
