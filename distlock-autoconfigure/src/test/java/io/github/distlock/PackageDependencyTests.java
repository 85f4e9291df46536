package io.github.distlock;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaConstructorCall;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.apache.commons.logging.LogFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Which package may use which, and which packages may use a library.
 */
class PackageDependencyTests {

	private static final String BASE = "io.github.distlock";

	/** The picture of CONTRIBUTING.md shows this, see {@link ContributingPageTests}. */
	static final Map<String, Set<String>> MAY_USE = Map.ofEntries(entry(""), entry("thread"), entry("backend", ""),
			entry("backend.redis", "backend", "backend.redlock", "thread", ""),
			entry("backend.redlock", "backend", "thread", ""), entry("backend.jdbc", "backend", "thread", ""),
			entry("backend.zookeeper", "backend", "thread", ""), entry("backend.local", "backend", ""),
			entry("environment", "backend", "thread"), entry("engine", "backend", "environment", "thread", ""),
			entry("registry", "engine", "backend", "environment", "thread", "observation", ""),
			entry("aop", "", "backend", "aop.weaving", "transaction", "thread", "observation"),
			entry("aop.weaving", ""), entry("transaction", "", "backend"), entry("context", ""),
			entry("metrics", "", "registry"), entry("observation", ""), entry("actuate", "", "backend", "registry"),
			entry("web", ""), entry("integration", "", "aop"),
			entry("autoconfigure", "", "backend", "backend.redis", "backend.redlock", "backend.jdbc",
					"backend.zookeeper", "backend.local", "engine", "registry", "aop", "transaction", "metrics",
					"observation", "actuate", "web", "integration", "thread"));

	/** Imported once, because that takes most of the time. */
	private static final JavaClasses CLASSES = new ClassFileImporter()
		.withImportOption(new ImportOption.DoNotIncludeTests())
		.importPackages(BASE);

	@Test
	void everyPackageIsInTheTable() {
		assertThat(CLASSES.stream().map(PackageDependencyTests::packageOf).distinct()).isSubsetOf(MAY_USE.keySet());
	}

	@Test
	void noPackageUsesAnotherThatTheTableDoesNotAllow() {
		List<String> violations = new ArrayList<>();
		for (JavaClass type : CLASSES) {
			for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
				JavaClass target = dependency.getTargetClass().getBaseComponentType();
				if (target.getPackageName().startsWith(BASE) && !packageOf(target).equals(packageOf(type))
						&& !MAY_USE.getOrDefault(packageOf(type), Set.of()).contains(packageOf(target))) {
					violations.add(dependency.getDescription());
				}
			}
		}
		assertThat(violations).isEmpty();
	}

	/** A library, and the packages that may use it. */
	@ParameterizedTest
	@CsvSource(delimiter = ':', textBlock = """
			org.springframework.boot       : autoconfigure actuate
			org.springframework.boot.test  : (none)
			org.springframework.test       : (none)
			org.junit                      : (none)
			org.springframework.data.redis : backend.redis autoconfigure
			io.lettuce                     : backend.redis autoconfigure
			io.micrometer.core             : metrics autoconfigure
			io.micrometer.observation      : observation autoconfigure
			io.micrometer.context          : context aop
			org.slf4j                      : (root) autoconfigure
			reactor.                       : (root) aop thread transaction web autoconfigure
			org.springframework.jdbc       : backend.jdbc transaction autoconfigure
			java.sql                       : backend.jdbc transaction autoconfigure
			org.apache.curator             : backend.zookeeper autoconfigure
			org.springframework.web        : web autoconfigure
			org.springframework.http       : web autoconfigure
			jakarta.servlet                : web
			org.springframework.integration: integration autoconfigure
			""")
	void aLibraryIsUsedOnlyByItsPackages(String library, String packages) {
		Set<String> users = Set.of(packages.replace("(root)", "").split(" "));
		assertThat(CLASSES.stream()
			.filter((type) -> !users.contains(packageOf(type)))
			.flatMap((type) -> type.getDirectDependenciesFromSelf().stream())
			.filter((dependency) -> dependency.getTargetClass().getPackageName().startsWith(library))
			.map(Dependency::getDescription)).isEmpty();
	}

	/** An appender may block: no thread on which locks depend may write a line. */
	@Test
	void theEngineAndTheStoresWriteNoLineOnTheirOwnThreads() {
		assertThat(CLASSES.stream()
			.filter((type) -> packageOf(type).matches("(engine|environment|registry|backend)\\b.*"))
			.flatMap((type) -> type.getDirectDependenciesFromSelf().stream())
			.filter((dependency) -> dependency.getTargetClass().isEquivalentTo(LogFactory.class))
			.map(Dependency::getDescription)).isEmpty();
	}

	@Test
	void onlyTheThreadPackageCreatesThreads() {
		List<String> calls = CLASSES.stream()
			.filter((type) -> !packageOf(type).equals("thread"))
			.flatMap((type) -> type.getConstructorCallsFromSelf().stream())
			.filter((call) -> call.getTargetOwner().isAssignableTo(Thread.class)
					|| call.getTargetOwner().isAssignableTo(ThreadPoolExecutor.class) && call.getTarget()
						.getRawParameterTypes()
						.stream()
						.noneMatch((parameter) -> parameter.isAssignableTo(ThreadFactory.class)))
			.map(JavaConstructorCall::getDescription)
			.toList();
		assertThat(calls).isEmpty();
	}

	private static Map.Entry<String, Set<String>> entry(String name, String... mayUse) {
		return Map.entry(name, Set.of(mayUse));
	}

	private static String packageOf(JavaClass type) {
		String name = type.getPackageName();
		return (name.length() > BASE.length()) ? name.substring(BASE.length() + 1) : "";
	}

}
