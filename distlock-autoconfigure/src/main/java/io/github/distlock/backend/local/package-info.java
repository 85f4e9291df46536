/**
 * The store inside one JVM: no server, for tests and for running an application without
 * one. {@link io.github.distlock.backend.local.LocalStore} is what a server would be;
 * each {@link io.github.distlock.backend.local.LocalLockBackend} over it works as a JVM
 * of its own would. It keeps nobody out who runs in another JVM.
 */
@NullMarked
package io.github.distlock.backend.local;

import org.jspecify.annotations.NullMarked;
