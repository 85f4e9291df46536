/**
 * Real servers and helpers for the tests.
 */
package io.github.distlock.testing;
