package io.github.distlock.docs;

import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import io.github.distlock.testing.ChildJvm;
import io.github.distlock.testing.RedisTestServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The application of the page about leader election, in two JVMs.
 */
class LeaderElectionPageTests {

	private static final String PAGE = "docs/leader-election.md";

	private static final String APPLICATION = "pages.docs_leader_election.com.example.jobs.JobsApplication";

	@Test
	void aPausedLeaderStepsDownWhenItContinuesAndTheOtherOneLeadsInALaterTerm(@TempDir Path folder) throws Exception {
		Path classes = compiled(folder);
		try (RedisTestServer redis = RedisTestServer.start(); ChildJvm first = start(classes, redis)) {
			long firstTerm = term(first);
			long secondTerm;
			try (ChildJvm second = start(classes, redis)) {
				first.pause();
				secondTerm = term(second);
				assertThat(secondTerm).isGreaterThan(firstTerm);
				first.resume();
				first.expect("No longer leads");
			}
			assertThat(term(first)).as("after the other one was killed").isGreaterThan(secondTerm);
		}
	}

	private static long term(ChildJvm instance) {
		return Long.parseLong(instance.expect("Leads in term "));
	}

	private static ChildJvm start(Path classes, RedisTestServer redis) {
		return ChildJvm.start(List.of("-cp", classes + File.pathSeparator + System.getProperty("java.class.path")),
				Instance.class, "--spring.data.redis.port=" + redis.port(), "--distlock.lease-time=5s",
				"--spring.main.web-application-type=none", "--logging.pattern.console=%m%n");
	}

	/** Return the folder that contains the application. */
	private static Path compiled(Path folder) throws IOException {
		assertThat(JavaBlocks.errors(Pages.blocks(PAGE, Pages.text(PAGE))
			.stream()
			.filter((block) -> block.language().equals("java"))
			.toList(), folder)).isEmpty();
		String file = APPLICATION.replace('.', '/') + ".class";
		try (Stream<Path> folders = Files.list(folder)) {
			return folders.filter((round) -> Files.exists(round.resolve(file))).findFirst().orElseThrow();
		}
	}

	/** Starts the application of the page. */
	static final class Instance {

		public static void main(String[] arguments) throws Exception {
			PrintStream out = System.out;
			out.println("started");
			Class.forName(APPLICATION).getMethod("main", String[].class).invoke(null, (Object) arguments);
		}

	}

}
