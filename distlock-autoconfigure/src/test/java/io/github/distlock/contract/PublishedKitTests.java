package io.github.distlock.contract;

import java.util.List;
import java.util.stream.Stream;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The kit is published without the rest of our tests: it must not need them, nor a store
 * of ours.
 */
class PublishedKitTests {

	private static final List<String> PUBLISHED = List.of("io.github.distlock.contract",
			"io.github.distlock.registry.RegistryProbe");

	private final JavaClasses tests = new ClassFileImporter().withImportOption(new ImportOption.OnlyIncludeTests())
		.importPackages("io.github.distlock");

	private final JavaClasses all = new ClassFileImporter().importPackages("io.github.distlock");

	@Test
	void theKitNeedsNoTestClassThatIsNotPublished() {
		assertThat(this.tests.contain(LockStoreContract.class)).isTrue();
		assertThat(uses().filter((target) -> this.tests.contain(target.getName()) && !isPublished(target))).isEmpty();
	}

	@Test
	void theKitNeedsNoStoreOfOurs() {
		assertThat(uses().map(JavaClass::getPackageName)
			.filter((name) -> name.startsWith("io.github.distlock.backend.") || name.contains("redis")
					|| name.startsWith("org.springframework")))
			.isEmpty();
	}

	private Stream<JavaClass> uses() {
		return this.all.stream()
			.filter(PublishedKitTests::isPublished)
			.filter((type) -> !type.getName().equals(PublishedKitTests.class.getName()))
			.flatMap((type) -> type.getDirectDependenciesFromSelf().stream())
			.map(Dependency::getTargetClass)
			.map(JavaClass::getBaseComponentType);
	}

	private static boolean isPublished(JavaClass type) {
		return PUBLISHED.stream().anyMatch(type.getName()::startsWith);
	}

}
