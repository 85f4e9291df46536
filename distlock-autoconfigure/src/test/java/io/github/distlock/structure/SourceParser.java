package io.github.distlock.structure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

import com.sun.source.tree.CatchTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.ImportTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.UnionTypeTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreeScanner;

import org.springframework.util.function.ThrowingSupplier;

/**
 * Reads source files with the parser of the compiler.
 */
final class SourceParser extends TreeScanner<Void, Void> {

	private static final Set<String> BROAD = Set.of("Throwable", "Error", "RuntimeException");

	private static final Pattern BLOCK_COMMENT = Pattern.compile("(?m)^\\s*/\\*.*?\\*/", Pattern.DOTALL);

	private final String packageName;

	private final List<String> types = new ArrayList<>();

	private final Set<String> names = new HashSet<>();

	private int broadCatches;

	private SourceParser(String packageName) {
		this.packageName = packageName;
	}

	static List<SourceFile> parse(List<Path> folders) throws IOException {
		List<Path> paths = new ArrayList<>();
		for (Path folder : folders) {
			try (Stream<Path> files = Files.walk(folder)) {
				files.filter((path) -> path.toString().endsWith(".java"))
					.filter((path) -> !path.endsWith("package-info.java"))
					.sorted()
					.forEach(paths::add);
			}
		}
		JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
		try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
			JavacTask task = (JavacTask) compiler.getTask(null, files, null, List.of("-proc:none"), null,
					files.getJavaFileObjectsFromPaths(paths));
			List<SourceFile> parsed = new ArrayList<>();
			for (CompilationUnitTree unit : task.parse()) {
				parsed.add(read(unit));
			}
			return parsed;
		}
	}

	private static SourceFile read(CompilationUnitTree unit) {
		SourceParser parser = new SourceParser(Objects.requireNonNull(unit.getPackageName()).toString());
		parser.scan(unit, null);
		String text = text(Path.of(unit.getSourceFile().toUri()));
		return new SourceFile(parser.packageName, parser.types.get(0),
				List.copyOf(parser.types.subList(1, parser.types.size())), Set.copyOf(parser.names), codeLines(text),
				parser.broadCatches);
	}

	@Override
	public Void visitClass(ClassTree type, Void nothing) {
		if (!type.getSimpleName().isEmpty()) {
			this.types.add(type.getSimpleName().toString());
		}
		return super.visitClass(type, nothing);
	}

	/** Imports of nested types and constants name types of the same package. */
	@Override
	public Void visitImport(ImportTree imported, Void nothing) {
		String name = imported.getQualifiedIdentifier().toString();
		if (name.startsWith(this.packageName + ".")) {
			this.names.add(name.substring(this.packageName.length() + 1).split("\\.")[0]);
		}
		return null;
	}

	@Override
	public Void visitIdentifier(IdentifierTree identifier, Void nothing) {
		this.names.add(identifier.getName().toString());
		return null;
	}

	@Override
	public Void visitMemberSelect(MemberSelectTree select, Void nothing) {
		if (select.getExpression().toString().equals(this.packageName)) {
			this.names.add(select.getIdentifier().toString());
		}
		return super.visitMemberSelect(select, nothing);
	}

	@Override
	public Void visitCatch(CatchTree caught, Void nothing) {
		Tree type = caught.getParameter().getType();
		List<? extends Tree> alternatives = (type instanceof UnionTypeTree union) ? union.getTypeAlternatives()
				: List.of(type);
		if (alternatives.stream().map(Tree::toString).anyMatch(BROAD::contains)) {
			this.broadCatches++;
		}
		return super.visitCatch(caught, nothing);
	}

	private static int codeLines(String text) {
		return (int) BLOCK_COMMENT.matcher(text)
			.replaceAll("")
			.lines()
			.map(String::strip)
			.filter((line) -> !line.isEmpty() && !line.startsWith("//"))
			.filter((line) -> !line.startsWith("package ") && !line.startsWith("import "))
			.count();
	}

	static String text(Path path) {
		return ThrowingSupplier.of(() -> Files.readString(path)).get();
	}

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

}
