package io.github.distlock.sample.lab.page;

import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Objects;

import javax.tools.DiagnosticCollector;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.util.JavacTask;

import io.github.distlock.sample.lab.launcher.Strategies;
import io.github.distlock.sample.lab.launcher.Strategy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The steps of the tour, and the code that they show.
 */
class TourTests {

	@Test
	void thereIsOneStepForEachStrategyInTheSameOrder() {
		assertThat(Tour.STEPS.stream().map(Tour.Step::strategy).toList())
			.isEqualTo(Strategies.ALL.stream().map(Strategy::name).toList());
	}

	@Test
	void whatFixesAStrategyIsALaterStepOrTheLock() {
		List<String> names = Tour.STEPS.stream().map(Tour.Step::strategy).toList();
		assertThat(Tour.STEPS.stream().map(Tour.Step::fixedBy).filter(Objects::nonNull)).isSubsetOf(names);
		for (Tour.Step step : Tour.STEPS) {
			if (step.fixedBy() != null && !step.fixedBy().equals("distributed-lock")) {
				assertThat(names.indexOf(step.fixedBy())).isGreaterThan(names.indexOf(step.strategy()));
			}
		}
	}

	@ParameterizedTest
	@FieldSource("io.github.distlock.sample.lab.page.Tour#STEPS")
	void theCodeOfAStepIsItsMethodsWithoutFieldsAndComments(Tour.Step step) {
		assertThat(SourceCode.of(step)).startsWith("@")
			.contains(" " + step.method() + "(String sku")
			.doesNotContain("import ", "/*", "//", "private final", "this.redis = redis")
			.endsWith("\n}");
	}

	@ParameterizedTest
	@FieldSource("io.github.distlock.sample.lab.page.Tour#STEPS")
	void theCodeOfAStepIsJavaAndShowsTheReadTheCheckAndTheWrite(Tour.Step step) throws IOException {
		String code = SourceCode.of(step);
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
		if (!step.strategy().equals("segments")) {
			assertThat(code).contains("SELECT quantity", "<= 0", "UPDATE stock SET quantity");
		}
	}

	@Test
	void theMethodsThatTheMethodCallsAreShownToo() {
		assertThat(SourceCode.cut("""
				package shop;

				/** Sells. */
				@Service("x")
				class Shop implements StockService {

					private final Ledger ledger = new Ledger(1);

					/** The constructor. */
					Shop() {
					}

					@Override
					public Deduction deduct(String sku) {
						// Take it first.
						take(sku);
						return null;
					}

					private boolean take(String sku) {
						return true;
					}

					private void unused() {
					}

				}
				""", "deduct")).isEqualTo("""
				@Service("x")
				class Shop implements StockService {

					@Override
					public Deduction deduct(String sku) {
						take(sku);
						return null;
					}

					private boolean take(String sku) {
						return true;
					}

				}""");
	}

}
