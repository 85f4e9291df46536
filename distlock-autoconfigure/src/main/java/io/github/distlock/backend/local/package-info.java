/**
 * The store inside one JVM, for tests and for running an application without a server.
 * {@link io.github.distlock.backend.local.LocalStore} is the equivalent of the server;
 * each {@link io.github.distlock.backend.local.LocalLockBackend} that shares it works as
 * a JVM of its own would. It excludes no other JVM.
 */
@NullMarked
package io.github.distlock.backend.local;

import org.jspecify.annotations.NullMarked;
