package io.github.distlock.structure;

import java.util.List;
import java.util.Set;

/**
 * A Java source file that declares types.
 *
 * @param packageName its package
 * @param name the simple name of its top-level type
 * @param nestedTypes the simple names of the types inside it, anonymous ones excluded
 * @param names the names that its code refers to; comments do not count
 * @param codeLines the lines that are neither blank nor part of a comment, nor the
 * package statement or an import
 * @param broadCatches how often it catches Throwable, Error or RuntimeException
 */
record SourceFile(String packageName, String name, List<String> nestedTypes, Set<String> names, int codeLines,
		int broadCatches) {

	String typeName() {
		return this.packageName + "." + this.name;
	}

}
