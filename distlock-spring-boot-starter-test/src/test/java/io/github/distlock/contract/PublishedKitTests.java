package io.github.distlock.contract;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The contract kit is for stores of other projects.
 */
class PublishedKitTests {

	private final JavaClasses kit = new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests())
		.importPackages("io.github.distlock.contract");

	@Test
	void theKitNeedsNeitherAStoreOfThisProjectNorSpringNorTheTestSlice() {
		assertThat(this.kit.stream()
			.flatMap((type) -> type.getDirectDependenciesFromSelf().stream())
			.map(Dependency::getTargetClass)
			.map(JavaClass::getBaseComponentType)
			.map(JavaClass::getPackageName)
			.distinct()
			.toList()).contains("io.github.distlock.backend")
			.noneMatch((name) -> name.startsWith("io.github.distlock.backend.") || name.contains("redis")
					|| name.startsWith("io.github.distlock.test") || name.startsWith("org.springframework"));
	}

}
