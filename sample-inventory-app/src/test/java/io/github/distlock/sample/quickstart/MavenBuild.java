package io.github.distlock.sample.quickstart;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * The Maven that runs this test, for a build inside its build.
 */
final class MavenBuild {

	private final Path program;

	private final Path repository;

	private MavenBuild(Path program, Path repository) {
		this.program = program;
		this.repository = repository;
	}

	/** Find the Maven that runs this test; without it the test is skipped. */
	static MavenBuild assumeRunning() {
		String home = System.getProperty("quickstart.maven-home", "");
		Path program = Path.of(home, "bin", "mvn");
		assumeTrue(!home.isEmpty() && Files.isExecutable(program),
				"Maven does not run this test: the README's quick start is not built");
		return new MavenBuild(program, Path.of(System.getProperty("quickstart.repository", "")));
	}

	/** Return the option of this Maven if it works offline. */
	static List<String> offline() {
		return System.getProperty("quickstart.offline", "").equals("offline:true") ? List.of("-o") : List.of();
	}

	/** Return the local repository of the machine. */
	Path repository() {
		return this.repository;
	}

	/**
	 * Run Maven with the user's settings.
	 * @param project the folder with the pom
	 * @param repository the local repository
	 * @param environment variables of the environment
	 * @param arguments options and goals
	 * @throws IOException if Maven cannot be started
	 * @throws InterruptedException if this thread is interrupted
	 */
	void run(Path project, Path repository, Map<String, String> environment, List<String> arguments)
			throws IOException, InterruptedException {
		List<String> command = new ArrayList<>(List.of(this.program.toString(), "-B", "-ntp", "-q",
				"-Dmaven.repo.local=" + repository.toAbsolutePath()));
		Path settings = Path.of(System.getProperty("quickstart.settings", "file:").substring("file:".length()));
		if (Files.isRegularFile(settings)) {
			command.addAll(List.of("-s", settings.toString()));
		}
		command.addAll(arguments);
		Path output = project.resolve("maven.log");
		ProcessBuilder maven = new ProcessBuilder(command).directory(project.toFile())
			.redirectErrorStream(true)
			.redirectOutput(output.toFile());
		maven.environment().putAll(environment);
		maven.environment().put("JAVA_HOME", System.getProperty("java.home"));
		maven.environment().merge("MAVEN_OPTS", "-XX:TieredStopAtLevel=1", (given, ours) -> given + " " + ours);
		maven.environment().keySet().removeAll(List.of("MAVEN_BASEDIR", "MAVEN_PROJECTBASEDIR"));
		int status = maven.start().waitFor();
		assertThat(status).as(() -> String.join(" ", command) + "\n" + text(output)).isZero();
	}

	private static String text(Path output) {
		try {
			return Files.readString(output);
		}
		catch (IOException ex) {
			return ex.toString();
		}
	}

}
