package io.github.distlock.structure;

import java.nio.file.Path;
import java.util.List;

import io.github.distlock.testing.ChildJvm;
import io.github.distlock.testing.RedisTestServer;
import net.bytebuddy.agent.ByteBuddyAgent;
import org.apache.commons.logging.LogFactory;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What one warm, uncontended, annotated call costs, from the interceptor to the return
 * with the lock released, on all threads. The figures do not depend on the machine.
 * <ul>
 * <li>{@code types}: top-level types of the library with an entered method, constructor
 * or lambda.</li>
 * <li>{@code objects}: objects of the library's classes created. They are recorded at the
 * end of the constructor of their own class, not at the end of the constructors of its
 * superclasses. The objects that the JVM makes of lambdas and method references have
 * hidden classes, which no agent sees: they are not counted, and arrays neither.</li>
 * <li>{@code frames}: stack frames from the interceptor to the store's attempt, both
 * included.</li>
 * <li>{@code methods}: different methods entered that are more than an accessor, a
 * delegation or another one-liner: the byte code in the class file has at least 25 bytes.
 * A method that is entered several times counts once. Constructors, bodies of lambdas and
 * methods that the compiler adds are methods like others.</li>
 * </ul>
 * The log has all figures, the types, the classes of the objects, and the methods.
 */
class CallCostTests {

	/**
	 * The limits, and the figures of commit 86682c31 counted in the same way. The limits
	 * are the figures of today: a commit that makes the call cheaper lowers them.
	 */
	private static final String BUDGETS = """
			figure   Redis  at 86682c31  local  at 86682c31
			types       63           77     54           66
			objects     26           30     23           28
			frames      12           16     12           15
			methods    165          176    145          154
			""";

	private static final int REDIS = 1;

	private static final int LOCAL = 3;

	@Test
	void anAnnotatedCallOnRedisStaysWithinItsBudget() throws Exception {
		try (RedisTestServer redis = RedisTestServer.start()) {
			assertWithin(REDIS, "--spring.data.redis.port=" + redis.port());
		}
	}

	@Test
	void anAnnotatedCallOnTheLocalStoreStaysWithinItsBudget() throws Exception {
		assertWithin(LOCAL, "--distlock.backend=local");
	}

	private static void assertWithin(int column, String store) throws Exception {
		Path agent = Path.of(ByteBuddyAgent.class.getProtectionDomain().getCodeSource().getLocation().toURI());
		try (ChildJvm child = ChildJvm.start(List.of("-javaagent:" + agent), CallCostChild.class, store)) {
			List<String> lines = child.linesBefore("end");
			LogFactory.getLog(CallCostTests.class).info("One call, " + store + "\n" + String.join("\n", lines));
			assertThat(BUDGETS.lines().skip(1)).allSatisfy((row) -> {
				String[] cells = row.split(" +");
				assertWithin(cells[0], Integer.parseInt(cells[column]), store, lines);
			});
		}
	}

	private static void assertWithin(String figure, int limit, String store, List<String> lines) {
		int counted = lines.stream()
			.filter((line) -> line.startsWith(figure + " "))
			.mapToInt((line) -> Integer.parseInt(line.substring(figure.length() + 1)))
			.sum();
		assertThat(counted)
			.as("%s of one call with %s: %d above the budget. Make the call cheaper, or raise the budget in this "
					+ "test and say in the commit message what for.", figure, store, counted - limit)
			.isBetween(1, limit);
	}

}
