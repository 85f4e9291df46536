/**
 * Tests of annotated methods behind real proxies.
 */
@NullMarked
package io.github.distlock.aop;

import org.jspecify.annotations.NullMarked;
