package io.github.distlock.docs;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.github.distlock.LockDefinitionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.beans.factory.BeanCreationException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The Java examples of all pages compile. A block contains types (a source file), members
 * (of a class that extends {@code Example}) or statements.
 */
class JavaBlockTests {

	/**
	 * Code of a library that is not on the class path, to be replaced by the next block.
	 */
	private static final String BEFORE = "before";

	@Test
	void eachJavaBlockCompilesAndIsAcceptedByTheStartup(@TempDir Path classes) throws Exception {
		List<CodeBlock> blocks = java().stream().filter((block) -> !block.marks().contains(BEFORE)).toList();
		assertThat(blocks).hasSizeGreaterThan(1);
		assertThat(String.join("\n", JavaBlocks.errors(blocks, classes))).isEmpty();
		assertThat(LockedExamples.start(classes)).isGreaterThan(10);
	}

	@Test
	void anAnnotationThatTheStartupRefusesIsFound(@TempDir Path classes) {
		assertThat(JavaBlocks.errors(List.of(new CodeBlock("docs/page.md", 7, "java", true, """
				@DistributedLock(key = "'stock-' + #article", waitTime = "2 sec")
				public void deduct(String article) { … }
				""")), classes)).isEmpty();
		assertThatExceptionOfType(BeanCreationException.class).isThrownBy(() -> LockedExamples.start(classes))
			.havingCause()
			.isInstanceOf(LockDefinitionException.class)
			.withMessageContaining("docs_page.")
			.withMessageContaining("Line7")
			.withMessageContaining("2 sec");
	}

	@Test
	void onlyThePageAboutMigrationHasBlocksThatAreNotCompiled() {
		Map<String, Long> marked = java().stream()
			.flatMap((block) -> block.marks().stream().map((mark) -> block.page() + " " + mark))
			.collect(Collectors.groupingBy(Function.identity(), TreeMap::new, Collectors.counting()));
		assertThat(marked.keySet()).isSubsetOf("docs/migration.md before");
		assertThat(marked.values()).allSatisfy((count) -> assertThat(count).isLessThanOrEqualTo(8));
	}

	private static List<CodeBlock> java() {
		return Pages.blocks().stream().filter((block) -> block.language().equals("java")).toList();
	}

}
