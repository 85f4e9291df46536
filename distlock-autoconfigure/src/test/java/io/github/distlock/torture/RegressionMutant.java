package io.github.distlock.torture;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

import io.github.distlock.testing.ChildJvm;
import io.github.distlock.testing.TestRunChild;

import org.springframework.util.FileSystemUtils;

/**
 * A fault that the library once had, and the test that must detect it, {@code
 * class#method}.
 */
record RegressionMutant(Mutant mutant, String test) {

	static RegressionMutant of(Mutant mutant) {
		return new RegressionMutant(mutant, "io.github.distlock." + mutant.net());
	}

	/** Run the test against the library as it is. */
	Result runWithoutFault() {
		return run(System.getProperty("java.class.path"));
	}

	/** Run the test against the library with the fault. */
	Result runWithFault(Path folder) throws IOException {
		FileSystemUtils.deleteRecursively(folder.resolve("classes").toFile());
		this.mutant.applyTo(folder);
		return run(folder.resolve("classes") + File.pathSeparator + System.getProperty("java.class.path"));
	}

	private Result run(String classPath) {
		List<String> options = List.of("-ea", "-Xmx512m", "-Djava.io.tmpdir=" + System.getProperty("java.io.tmpdir"),
				"-cp", classPath);
		try (ChildJvm child = ChildJvm.start(options, TestRunChild.class, this.test)) {
			String[] counts = child.expect(TestRunChild.RESULT).split("\\D+");
			return new Result(Integer.parseInt(counts[0]), Integer.parseInt(counts[1]));
		}
	}

	@Override
	public String toString() {
		return this.mutant.name();
	}

	record Result(int succeeded, int failed) {
	}

}
