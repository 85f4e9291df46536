package io.github.distlock.docs.reference;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

import com.sun.source.doctree.DocCommentTree;
import com.sun.source.doctree.DocTree;
import com.sun.source.doctree.ParamTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePathScanner;

/**
 * The Javadoc of the library, read from its sources.
 *
 * @param texts the texts as Markdown, by type ({@code a.b.Type}), member
 * ({@code a.b.Type#member}) and parameter or record component
 * ({@code a.b.Type#method(parameter)}, {@code a.b.Type(component)})
 */
record SourceDocs(Map<String, String> texts) {

	private static final List<Path> SOURCES = List.of(Path.of("src", "main", "java"), Path.of("..",
			"distlock-spring-boot-starter-test", "src", "main", "java", "io", "github", "distlock", "test"));

	/** Read all sources. */
	static SourceDocs read() {
		JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
		Map<String, String> texts = new LinkedHashMap<>();
		try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, Locale.ROOT,
				StandardCharsets.UTF_8)) {
			List<Path> sources = new ArrayList<>();
			for (Path folder : SOURCES) {
				try (Stream<Path> files = Files.walk(folder)) {
					files.filter((file) -> file.toString().endsWith(".java"))
						.filter((file) -> !file.endsWith("package-info.java"))
						.sorted()
						.forEach(sources::add);
				}
			}
			JavacTask task = (JavacTask) compiler.getTask(null, manager, null, List.of("-proc:none"), null,
					manager.getJavaFileObjectsFromPaths(sources));
			DocTrees trees = DocTrees.instance(task);
			for (CompilationUnitTree unit : task.parse()) {
				new Scanner(unit.getPackageName() + ".", trees, texts).scan(unit, null);
			}
			return new SourceDocs(texts);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Return the text of a type. */
	String of(Class<?> type) {
		return get(name(type));
	}

	/** Return the text of a method, a field or a constant. */
	String of(Class<?> type, String member) {
		return get(name(type) + "#" + member);
	}

	/** Return the names of the members with a text, in their order. */
	List<String> members(Class<?> type) {
		String start = name(type) + "#";
		return this.texts.keySet()
			.stream()
			.filter((name) -> name.startsWith(start) && !name.endsWith(")"))
			.map((name) -> name.substring(start.length()))
			.toList();
	}

	/** Return the text of a constant. */
	String of(Enum<?> constant) {
		return of(constant.getDeclaringClass(), constant.name());
	}

	/** Return the text of a record component. */
	String component(Class<?> type, String component) {
		return get(name(type) + "(" + component + ")");
	}

	/** Return the text of a parameter. */
	String parameter(Class<?> type, String method, String parameter) {
		return get(name(type) + "#" + method + "(" + parameter + ")");
	}

	private static String name(Class<?> type) {
		return type.getName().replace('$', '.');
	}

	private String get(String name) {
		String text = this.texts.get(name);
		if (text == null) {
			throw new IllegalArgumentException("No Javadoc of " + name);
		}
		return text;
	}

	/** Return the first sentence of a text. */
	static String firstSentence(String text) {
		return text.split("(?<=[.!?])\\s+(?=[A-Z`\\n-])", 2)[0].replaceAll("\\s+", " ");
	}

	/** Collects the texts of a source file. */
	private static final class Scanner extends TreePathScanner<Void, Void> {

		private final String prefix;

		private final DocTrees trees;

		private final Map<String, String> texts;

		private String type = "";

		private Scanner(String prefix, DocTrees trees, Map<String, String> texts) {
			this.prefix = prefix;
			this.trees = trees;
			this.texts = texts;
		}

		@Override
		public Void visitClass(ClassTree tree, Void nothing) {
			String outer = this.type;
			this.type = outer.isEmpty() ? this.prefix + tree.getSimpleName() : outer + "." + tree.getSimpleName();
			add(this.type);
			super.visitClass(tree, nothing);
			this.type = outer;
			return nothing;
		}

		@Override
		public Void visitMethod(MethodTree tree, Void nothing) {
			add(this.type + "#" + tree.getName());
			return nothing;
		}

		@Override
		public Void visitVariable(VariableTree tree, Void nothing) {
			add(this.type + "#" + tree.getName());
			// A constant of an enum may have a body, which is of no interest.
			return nothing;
		}

		private void add(String name) {
			DocCommentTree comment = this.trees.getDocCommentTree(getCurrentPath());
			if (comment != null) {
				this.texts.put(name, JavadocText.of(comment.getFullBody()));
				for (DocTree tag : comment.getBlockTags()) {
					if (tag instanceof ParamTree parameter) {
						this.texts.put(name + "(" + parameter.getName() + ")",
								JavadocText.of(parameter.getDescription()));
					}
				}
			}
		}

	}

}
