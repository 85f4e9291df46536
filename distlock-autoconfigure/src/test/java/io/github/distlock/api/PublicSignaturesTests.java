package io.github.distlock.api;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A public signature does not change without a commit that says so.
 */
class PublicSignaturesTests {

	@Test
	void theSignaturesAreThoseOfTheCommittedText() throws IOException {
		List<String> lines = new ArrayList<>();
		PublishedTypes.api().forEach((type) -> lines.addAll(PublicSignatures.of(type)));
		CommittedText.check("config/api/signatures.txt", lines, PublicSignaturesTests.class);
	}

	@Test
	void theAnswersOfTheEndpointAreThoseOfTheCommittedText() throws IOException {
		List<String> lines = new ArrayList<>();
		PublishedTypes.answers().forEach((type) -> lines.addAll(PublicSignatures.ofAnswer(type)));
		CommittedText.check("config/api/endpoint.txt", lines, PublicSignaturesTests.class);
	}

	@Test
	void theNamesOfTheAutoConfigurationsAreThoseOfTheCommittedText() throws IOException {
		CommittedText.check("config/api/auto-configurations.txt", PublishedTypes.autoConfigurations(),
				PublicSignaturesTests.class);
	}

	@Test
	void aDifferenceIsReportedByNameWithTheCommandThatWritesTheFileAgain(@TempDir Path folder) throws IOException {
		Path file = Files.writeString(folder.resolve("signatures.txt"), "A.gone(): void\nA.stays(): void\n");
		assertThatExceptionOfType(AssertionError.class)
			.isThrownBy(() -> CommittedText.compare(file, List.of("A.stays(): void", "A.added(): int"),
					PublicSignaturesTests.class))
			.withMessageContaining(
					"Removed or changed (docs/versioning.md says when that is allowed):\n  A.gone(): void\n")
			.withMessageContaining("New:\n  A.added(): int\n")
			.withMessageContaining("-Dtest=PublicSignaturesTests -Ddistlock.docs.write=true");
	}

	@Test
	void nullnessDefaultsConstantsAndExceptionsArePartOfASignature() {
		assertThat(PublicSignatures.of(Sample.class)).containsExactlyInAnyOrder(
				"io.github.distlock.api.PublicSignaturesTests$Sample: protected static @interface",
				"io.github.distlock.api.PublicSignaturesTests$Sample.value(): public abstract String[] = {\"a\"}",
				"io.github.distlock.api.PublicSignaturesTests$Sample.LIMIT: public static final int = 3");
		assertThat(PublicSignatures.of(Shape.class))
			.contains("io.github.distlock.api.PublicSignaturesTests$Shape.find(List<@Nullable String>): "
					+ "protected abstract @Nullable String throws java.io.IOException");
	}

	/** Has a default and a constant. */
	protected @interface Sample {

		/** A constant. */
		int LIMIT = 3;

		/** An attribute. */
		String[] value() default "a";

	}

	/** Has nullness and an exception. */
	protected abstract static class Shape {

		protected abstract @Nullable String find(List<@Nullable String> names) throws IOException;

	}

}
