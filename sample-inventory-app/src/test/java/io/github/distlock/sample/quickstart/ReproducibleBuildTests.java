package io.github.distlock.sample.quickstart;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

import org.springframework.util.FileSystemUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Builds all that a release contains, twice: in two folders, one after the other, with
 * different time zones and locales. What is published must be equal bit for bit.
 */
@Tag("full")
@Timeout(3600)
@EnabledIfSystemProperty(named = "distlock.full", matches = "true",
		disabledReason = "Two builds of the release take some minutes: -Ddistlock.full=true runs them")
class ReproducibleBuildTests {

	private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

	private static final Set<String> LEFT_OUT = Set.of(".git", "target", "node_modules", ".idea");

	private static final List<String> PUBLISHED = List.of("project/distlock-bom", "distlock-autoconfigure",
			"distlock-spring-boot-starter", "distlock-spring-boot-starter-test");

	@Test
	void twoBuildsInTwoFoldersAreEqualBitForBit() throws Exception {
		MavenBuild maven = MavenBuild.assumeRunning();
		Path folder = Path.of("target", "reproducible").toAbsolutePath();
		FileSystemUtils.deleteRecursively(folder);
		Map<String, String> first = build(maven, folder.resolve("one"), "UTC", "C.UTF-8");
		Map<String, String> second = build(maven, folder.resolve("another/folder"), "Asia/Kathmandu", "C");
		StringBuilder report = new StringBuilder();
		first.forEach((file, sum) -> report.append(sum).append("  ").append(file).append('\n'));
		Files.writeString(folder.resolve("checksums.txt"), report);
		assertThat(second).containsExactlyEntriesOf(first);
		assertThat(first.keySet()).filteredOn((file) -> file.endsWith(".jar")).hasSize(9);
		assertThat(first.keySet()).filteredOn((file) -> file.endsWith(".flattened-pom.xml")).hasSize(4);
		assertThat(first.keySet()).filteredOn((file) -> file.endsWith("bom.json")).hasSize(3);
	}

	/** Build a copy of this project and return the checksums of what is published. */
	private static Map<String, String> build(MavenBuild maven, Path copy, String zone, String locale) throws Exception {
		copy(copy);
		// Not offline, where Maven leaves out the bill of materials.
		maven.run(copy, maven.repository(), Map.of("TZ", zone, "LC_ALL", locale),
				List.of("-Prelease", "-Dgpg.skip=true", "-DskipTests", "-pl", String.join(",", PUBLISHED), "verify"));
		Map<String, String> sums = new TreeMap<>();
		for (String module : PUBLISHED) {
			try (Stream<Path> files = Files.list(copy.resolve(module).resolve("target"))) {
				for (Path file : files.filter(ReproducibleBuildTests::isPublished).toList()) {
					sums.put(module + "/" + file.getFileName(), checksum(file));
				}
			}
		}
		return sums;
	}

	private static boolean isPublished(Path file) {
		String name = file.getFileName().toString();
		return name.endsWith(".jar") || name.equals(".flattened-pom.xml") || name.equals("bom.json");
	}

	private static String checksum(Path file) throws IOException, NoSuchAlgorithmException {
		return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file)));
	}

	private static void copy(Path target) throws IOException {
		Files.walkFileTree(ROOT, new SimpleFileVisitor<>() {

			@Override
			public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) throws IOException {
				if (LEFT_OUT.contains(folder.getFileName().toString())) {
					return FileVisitResult.SKIP_SUBTREE;
				}
				Files.createDirectories(target.resolve(ROOT.relativize(folder)));
				return FileVisitResult.CONTINUE;
			}

			@Override
			public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
				// In a worktree of git, .git is a file.
				if (!LEFT_OUT.contains(file.getFileName().toString())) {
					Files.copy(file, target.resolve(ROOT.relativize(file)));
				}
				return FileVisitResult.CONTINUE;
			}

		});
	}

}
