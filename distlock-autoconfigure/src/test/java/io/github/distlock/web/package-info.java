/**
 * Tests of the answers to HTTP requests, in applications with a server.
 */
@NullMarked
package io.github.distlock.web;

import org.jspecify.annotations.NullMarked;
