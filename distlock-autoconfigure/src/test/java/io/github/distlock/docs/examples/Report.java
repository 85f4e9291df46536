package io.github.distlock.docs.examples;

/**
 * A report.
 *
 * @param text its text
 */
public record Report(String text) {

}
