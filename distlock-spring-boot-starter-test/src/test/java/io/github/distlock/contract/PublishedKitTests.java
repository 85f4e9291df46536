package io.github.distlock.contract;

import java.util.List;
import java.util.stream.Stream;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.github.distlock.registry.RegistryProbe;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The contract kit is published without the other tests: it must need neither them nor a
 * store of this project.
 */
class PublishedKitTests {

	private final JavaClasses kit = new ClassFileImporter().importPackagesOf(PublishedKitTests.class);

	@Test
	void theKitNeedsNoTestClassThatIsNotPublished() {
		assertThat(uses().filter(PublishedKitTests::isTest)
			.map(JavaClass::getName)
			.filter((name) -> !name.startsWith(PublishedKitTests.class.getPackageName()))
			.distinct()).containsExactly(RegistryProbe.class.getName());
	}

	@Test
	void theKitNeedsNoStoreOfThisProject() {
		List<String> packages = uses().map(JavaClass::getPackageName).distinct().toList();
		assertThat(packages).contains("io.github.distlock.backend")
			.noneMatch((name) -> name.startsWith("io.github.distlock.backend.") || name.contains("redis")
					|| name.startsWith("org.springframework"));
	}

	private Stream<JavaClass> uses() {
		return this.kit.stream()
			.filter((type) -> !type.getName().equals(PublishedKitTests.class.getName()))
			.flatMap((type) -> type.getDirectDependenciesFromSelf().stream())
			.map(Dependency::getTargetClass)
			.map(JavaClass::getBaseComponentType);
	}

	private static boolean isTest(JavaClass type) {
		return type.getSource()
			.map((source) -> source.getUri().getPath())
			.filter((path) -> path.contains("/test-classes/"))
			.isPresent();
	}

}
