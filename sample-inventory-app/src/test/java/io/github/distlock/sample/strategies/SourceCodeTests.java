package io.github.distlock.sample.strategies;

import java.io.IOException;
import java.net.URI;
import java.util.List;

import javax.tools.DiagnosticCollector;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.util.JavacTask;
import io.github.distlock.lab.page.SourceCode;
import io.github.distlock.lab.runs.Catalogue;
import io.github.distlock.lab.runs.Strategy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The code of the strategies that the page shows.
 */
class SourceCodeTests {

	private static final Catalogue CATALOGUE = StrategyCatalogue.catalogue();

	static List<Strategy> strategies() {
		return CATALOGUE.all();
	}

	@Test
	void whatFixesAStrategyIsALaterOneOrTheLock() {
		List<String> names = CATALOGUE.names();
		for (Strategy strategy : CATALOGUE.all()) {
			String fixedBy = strategy.fixedBy();
			if (fixedBy != null) {
				assertThat(names).contains(fixedBy);
				assertThat(
						fixedBy.equals("distributed-lock") || names.indexOf(fixedBy) > names.indexOf(strategy.name()))
					.isTrue();
			}
		}
	}

	@ParameterizedTest
	@MethodSource("strategies")
	void theCodeOfAStrategyIsItsMethodsWithoutFieldsAndComments(Strategy strategy) {
		assertThat(SourceCode.of(strategy.source())).startsWith("@")
			.contains(" " + strategy.source().method() + "(String sku")
			.doesNotContain("import ", "/*", "//", "private final", "this.redis = redis")
			.endsWith("\n}");
	}

	@ParameterizedTest
	@MethodSource("strategies")
	void theCodeOfAStrategyIsJavaAndShowsTheReadTheCheckAndTheWrite(Strategy strategy) throws IOException {
		String code = SourceCode.of(strategy.source());
		DiagnosticCollector<JavaFileObject> problems = new DiagnosticCollector<>();
		JavaFileObject source = new SimpleJavaFileObject(URI.create("string:///Step.java"),
				JavaFileObject.Kind.SOURCE) {
			@Override
			public CharSequence getCharContent(boolean ignoreEncodingErrors) {
				return code;
			}
		};
		JavacTask task = (JavacTask) ToolProvider.getSystemJavaCompiler()
			.getTask(null, null, problems, List.of("-proc:none"), null, List.of(source));
		CompilationUnitTree tree = task.parse().iterator().next();
		assertThat(problems.getDiagnostics()).as(code).isEmpty();
		assertThat(tree.getTypeDecls()).as(code).isNotEmpty();
		if (!strategy.name().equals("segments")) {
			assertThat(code).contains("SELECT quantity", "<= 0").containsOnlyOnce("UPDATE stock SET quantity");
		}
	}

}
