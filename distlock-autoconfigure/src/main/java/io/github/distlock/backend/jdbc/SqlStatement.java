package io.github.distlock.backend.jdbc;

import java.util.List;

/**
 * A statement.
 *
 * @param text with question marks
 * @param parameters the name of each
 */
record SqlStatement(String text, List<String> parameters) {
}
